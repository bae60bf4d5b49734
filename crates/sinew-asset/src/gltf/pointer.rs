//! `KHR_animation_pointer`: channels that name what they move by a JSON pointer.

use sinew::ChannelTarget;

/// Name of the extension.
pub(crate) const NAME: &str = "KHR_animation_pointer";

/// What a pointer names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pointed {
    /// A property of a node that a channel can move.
    Node(u32, ChannelTarget),
    /// Anything else: a material, a light, one weight of many.
    Other,
}

/// Reads `/nodes/N/translation`, `rotation`, `scale` and `weights`.
pub(crate) fn parse(pointer: &str) -> Pointed {
    let mut steps = pointer.split('/');
    let head = (steps.next(), steps.next(), steps.next(), steps.next(), steps.next());
    let (Some(""), Some("nodes"), Some(node), Some(property), None) = head else { return Pointed::Other };
    // RFC 6901: an index has no sign and no leading zero.
    let plain = node == "0" || (!node.starts_with('0') && node.bytes().all(|b| b.is_ascii_digit()));
    let (true, Ok(node)) = (plain, node.parse()) else { return Pointed::Other };
    let target = match property {
        "translation" => ChannelTarget::Translation,
        "rotation" => ChannelTarget::Rotation,
        "scale" => ChannelTarget::Scale,
        "weights" => ChannelTarget::Weights,
        _ => return Pointed::Other,
    };
    Pointed::Node(node, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_properties_are_read_and_nothing_else() {
        assert_eq!(parse("/nodes/12/rotation"), Pointed::Node(12, ChannelTarget::Rotation));
        assert_eq!(parse("/nodes/0/weights"), Pointed::Node(0, ChannelTarget::Weights));
        for other in [
            "",
            "/",
            "nodes/0/scale",
            "/nodes/0",
            "/nodes/0/weights/1",
            "/nodes/01/scale",
            "/nodes/-1/scale",
            "/nodes/+1/scale",
            "/nodes//scale",
            "/nodes/99999999999999999999/scale",
            "/materials/0/emissiveFactor",
        ] {
            assert_eq!(parse(other), Pointed::Other, "{other}");
        }
    }
}
