//! The distribution `tfxio-tfx-bsl`: the package tfx_bsl on tfxio, a wheel without native code.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::environment::Environment;
use super::{PACKAGE, wheel};
use crate::process;

/// Script that decodes a record by the modules of tfx-bsl, where tfx-bsl is not installed.
const DECODE: &str = "import tfxio\n\
    import tfx_bsl\n\
    from tfx_bsl.coders.example_coder import ExamplesToRecordBatchDecoder\n\
    record = tfxio.Example({'age': [36], 'name': 'Ada'}).to_bytes()\n\
    batch = ExamplesToRecordBatchDecoder().DecodeBatch([record])\n\
    assert batch.to_pydict() == {'age': [[36]], 'name': [[b'Ada']]}, batch\n\
    print('tfx_bsl', tfx_bsl.__version__, 'without tfx-bsl:', batch.to_pydict())";

/// Script that checks that tfx-bsl, which was installed later, is imported.
const REPLACED: &str = "from importlib.util import find_spec\n\
    from pathlib import Path\n\
    text = Path(find_spec('tfx_bsl').origin).read_text()\n\
    assert 'tfxio' not in text, text\n\
    print('tfx-bsl, installed later, is what is imported')";

/// Sees that it is refused where it was installed after tfx-bsl.
const REFUSED: &str = "try:\n    import tfx_bsl\n\
    except ImportError as error:\n    \
        assert 'tfx-bsl and tfxio-tfx-bsl are both installed' in str(error), error\n    \
        print('beside tfx-bsl:', error)\n\
    else:\n    raise SystemExit('tfx_bsl is imported although tfx-bsl is installed, too')";

/// Builds the wheel in the folder `target`, installs it with its dependencies, then beside tfx-bsl, and returns its
/// path. The README describes both orders of installation, and the way out.
pub(super) fn test(small: &Environment, root: &Path, target: &Path, tfxio: &Path) -> Result<PathBuf> {
    let package = root.join(PACKAGE);
    let folder = target.join("wheels-tfx-bsl");
    small.build_wheel(&package.join("distributions/tfx_bsl"), &folder)?;
    let wheel = wheel::only(&folder)?;
    let environment = Environment::new(&target.join("tfx-bsl"))?;
    let python =
        |code: &str| process::run(environment.program("python", environment.folder()).args(["-c", code]));
    environment.install_with_dependencies(&[tfxio, &wheel])?;
    python(DECODE)?;
    environment.install(&pinned(&package)?)?;
    python(REPLACED)?;
    environment.install(&wheel)?;
    python(REFUSED)?;
    environment.uninstall(&["tfx-bsl", "tfxio-tfx-bsl"])?;
    environment.install(&wheel)?;
    python(DECODE)?;
    Ok(wheel)
}

/// The version of tfx-bsl that the environment `peers` has.
fn pinned(package: &Path) -> Result<String> {
    let list = package.join("requirements/peers.txt");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let line = text.lines().find(|line| line.starts_with("tfx-bsl=="));
    line.map(str::to_owned).with_context(|| format!("{} does not list tfx-bsl", list.display()))
}
