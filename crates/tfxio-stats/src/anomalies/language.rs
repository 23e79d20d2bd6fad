//! Text against what a schema asks of its tokens.

use prost::Message as _;

use super::Fault;
use crate::number_text::{number, quoted};
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::natural_language_statistics::{TokenStatistics, token_statistics::Token};
use crate::proto::tfmd::sequence_value_constraints::Value;
use crate::proto::tfmd::{NaturalLanguageDomain, NaturalLanguageStatistics, SequenceValueConstraints};
use crate::view::FeatureView;

/// The name of the statistic with the token counts.
const STATISTIC: &str = "nl_statistics";

pub(super) fn check(domain: &NaturalLanguageDomain, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let coverage = domain.coverage.as_ref();
    let min_coverage = coverage.and_then(|coverage| coverage.min_coverage);
    let min_length = coverage.and_then(|coverage| coverage.min_avg_token_length);
    if min_coverage.is_none() && min_length.is_none() && domain.token_constraints.is_empty() {
        return Vec::new();
    }
    let Some(counted) = counted(statistics) else {
        let text =
            format!("The schema has constraints on tokens, and the statistics have no \"{STATISTIC}\".");
        return vec![Fault::new(Type::StatsNotAvailable, "Tokens not counted", text)];
    };
    let mut faults = Vec::new();
    if let Some(min) = min_coverage.map(f64::from).filter(|min| counted.feature_coverage < *min) {
        let (min, found) = (number(min), number(counted.feature_coverage));
        let text = format!("The schema asks for {min} of tokens in the vocabulary, {found} are.");
        faults.push(Fault::new(Type::FeatureCoverageTooLow, "Vocabulary covers too little", text));
    }
    if let Some(min) = min_length.map(f64::from).filter(|min| counted.avg_token_length < *min) {
        let (min, found) = (number(min), number(counted.avg_token_length));
        let text = format!("The schema asks for tokens of {min} characters on average, they have {found}.");
        faults.push(Fault::new(Type::FeatureCoverageTooShortAvgTokenLength, "Tokens too short", text));
    }
    for constraints in &domain.token_constraints {
        let Some(value) = &constraints.value else { continue };
        let (name, token) = match value {
            Value::IntValue(wanted) => (wanted.to_string(), Token::IntToken(*wanted)),
            Value::StringValue(wanted) => (quoted(wanted), Token::StringToken(wanted.clone())),
        };
        match counted.token_statistics.iter().find(|counted| counted.token.as_ref() == Some(&token)) {
            Some(token) => faults.extend(token_faults(&name, constraints, token)),
            None => {
                let text = format!("The schema has constraints on the token {name}, which was not counted.");
                faults.push(Fault::new(Type::StatsNotAvailable, "Token not counted", text));
            }
        }
    }
    faults
}

/// Returns the statistics of tokens, if they are there.
fn counted(statistics: &FeatureView<'_>) -> Option<NaturalLanguageStatistics> {
    let custom = statistics.custom().iter().find(|custom| custom.name == STATISTIC)?;
    let Some(Val::Any(any)) = &custom.val else { return None };
    let is_it = any.type_url.ends_with("/tensorflow.metadata.v0.NaturalLanguageStatistics");
    is_it.then(|| NaturalLanguageStatistics::decode(any.value.as_slice()).ok()).flatten()
}

fn token_faults(name: &str, wanted: &SequenceValueConstraints, found: &TokenStatistics) -> Vec<Fault> {
    let share = found.fraction_of_sequences;
    let (least, most) = (found.per_sequence_min_frequency, found.per_sequence_max_frequency);
    let mut faults = Vec::new();
    let mut fault = |kind, summary, text| faults.push(Fault::new(kind, summary, text));
    if let Some(min) = wanted.min_fraction_of_sequences.map(f64::from).filter(|min| share < *min) {
        let text =
            format!("The schema asks for {name} in {} of sequences, {} have it.", number(min), number(share));
        fault(Type::SequenceValueTooSmallFraction, "Token in too few sequences", text);
    }
    if let Some(max) = wanted.max_fraction_of_sequences.map(f64::from).filter(|max| share > *max) {
        let (max, share) = (number(max), number(share));
        let text = format!("The schema asks for {name} in at most {max} of sequences, {share} have it.");
        fault(Type::SequenceValueTooLargeFraction, "Token in too many sequences", text);
    }
    if let Some(min) = wanted.min_per_sequence.filter(|min| least < *min as f64) {
        let text = format!(
            "The schema asks for {name} {min} times in a sequence, one has it {} times.",
            number(least)
        );
        fault(Type::SequenceValueTooFewOccurrences, "Token too rare in a sequence", text);
    }
    if let Some(max) = wanted.max_per_sequence.filter(|max| most > *max as f64) {
        let most = number(most);
        let text =
            format!("The schema asks for {name} at most {max} times in a sequence, one has it {most} times.");
        fault(Type::SequenceValueTooManyOccurrences, "Token too frequent in a sequence", text);
    }
    faults
}
