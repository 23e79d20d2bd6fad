"""Packs the tokens of texts into rows of 2,048 for two ranks, in one random order of all texts, and goes on exactly from a state."""

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import ByteLevelBPETokenizer

import tfxio

lines = Path("fixtures/scripts/sonnets.txt").read_text().splitlines()
random.seed(7)
path = tempfile.mkdtemp() + "/texts@4.tfrecord"
tfxio.write(({"text": "\n".join(random.choices(lines, k=random.randint(1, 60)))} for _ in range(2000)), path)

tokenizer = ByteLevelBPETokenizer()  # Tokenizer.from_pretrained("gpt2"), for example, is used alike
tokenizer.train_from_iterator(lines, vocab_size=1000, show_progress=False)


def tokenize(rows: dict[str, Any]) -> dict[str, Any]:
    return {"tokens": [encoded.ids for encoded in tokenizer.encode_batch(list(rows["text"]))]}


texts = tfxio.open(path, scalars=True, text=True).map(tokenize, columns=["text"])


def load(rank: int, state: dict[str, Any] | None = None) -> tfxio.BatchLoader:
    return texts.loader(
        inputs=["tokens"], pack=2048, batch_size=4, shuffle="global", seed=7, epochs=None, shard=(rank, 2), state=state
    )


ranks = [load(rank) for rank in range(2)]
for _ in range(3):
    batches = [next(loader) for loader in ranks]
print(batches[0])
print(f"{np.mean([batch['segment_ids'].numpy() > 0 for batch in batches]):.1%} of the rows are tokens")

saved = json.dumps([loader.state_dict() for loader in ranks])
resumed = [load(rank, state) for rank, state in enumerate(json.loads(saved))]
for _ in range(20):
    for one, other in zip(ranks, resumed):
        assert next(one)["tokens"].tolist() == next(other)["tokens"].tolist()
print("20 further steps of both ranks are the same")
