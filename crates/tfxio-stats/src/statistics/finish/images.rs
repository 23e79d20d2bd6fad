//! Custom statistics of images.

use super::{custom as named, number, text};
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::{CustomStatistic, RankHistogram, rank_histogram::Bucket};
use crate::statistics::StatisticsOptions;
use crate::statistics::histogram::rank_histogram;
use crate::statistics::images::{Extent, FORMATS, Images, size_from_bytes};
use crate::statistics::string_counts::CountedString;

/// The least share of images, and of how many values, from which on a column is one of images. As in TensorFlow Data Validation.
const IMAGE_SHARE: f64 = 0.8;
const LEAST_VALUES: u64 = 100;
/// The least share of images from which on they are counted by format and size.
const COUNTED_SHARE: f64 = 0.5;

/// Appends what is known of the images among a number of values, if many are.
pub(super) fn append(
    images: &Images,
    values: u64,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) {
    let share = images.count() as f64 / values as f64;
    if share >= IMAGE_SHARE && values >= LEAST_VALUES {
        custom.push(text("domain_info", "image_domain {}"));
    }
    if share < COUNTED_SHARE {
        return;
    }
    let unknown = ("UNKNOWN", values.saturating_sub(images.count()));
    let formats = FORMATS.iter().zip(images.formats).map(|((_, name), count)| (*name, count));
    let buckets = std::iter::once(unknown).chain(formats).filter(|(_, count)| *count > 0);
    // By name, and so without ranks.
    let bucket = |(name, count): (&str, u64)| Bucket {
        label: name.to_owned(),
        sample_count: count as f64,
        ..Bucket::default()
    };
    let formats = RankHistogram { buckets: buckets.map(bucket).collect(), name: String::new() };
    custom.push(named("image_format_histogram", Val::RankHistogram(formats)));
    if images.sized == 0 {
        return;
    }
    for (name, Extent { sum, min, max }) in [("width", images.widths), ("height", images.heights)] {
        custom.push(number(&format!("image_min_{name}"), min.into()));
        custom.push(number(&format!("image_mean_{name}"), sum as f64 / images.sized as f64));
        custom.push(number(&format!("image_max_{name}"), max.into()));
    }
    let counts = images.sizes.settled();
    let error = counts.count_error();
    let mut sizes: Vec<((u32, u32), u64)> = counts
        .iter()
        .filter_map(|(string, count)| match string {
            CountedString::Text(string) => {
                Some((size_from_bytes(string)?, count.saturating_add(error.unwrap_or(0))))
            }
            CountedString::Long(..) => None,
        })
        .collect();
    sizes
        .sort_unstable_by(|(size, count), (other, other_count)| other_count.cmp(count).then(size.cmp(other)));
    let sizes = sizes.into_iter().take(options.top_values);
    let sizes: Vec<_> =
        sizes.map(|((width, height), count)| (format!("{width}x{height}"), count as f64)).collect();
    let sizes = rank_histogram(sizes.iter().map(|(size, count)| (size.as_str(), *count)));
    custom.push(named("image_sizes", Val::RankHistogram(sizes)));
    if let Some(error) = error {
        custom.push(number("max_image_size_count_error", error as f64));
    }
}
