//! Why a document cannot be written.

use sinew::ClipError;

/// Something in a document that a valid GLB cannot hold. Nothing is left out in silence instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A length or a matrix element that single precision cannot hold, or that is not a number.
    #[error("{what} is {value}, expected a finite number of at most {:.4e}", f32::MAX)]
    NotFinite {
        /// What holds it, for example `inverse bind matrix 3 of skin 0`.
        what: String,
        /// The number.
        value: f64,
    },
    /// An affine matrix ends in the row 0 0 0 1.
    #[error("element {element} of {what} is {found}, expected {expected}; it can only be written as stored")]
    MatrixRow {
        /// The matrix.
        what: String,
        /// Column-major, from 0.
        element: usize,
        /// The number.
        found: f64,
        /// 0 or 1.
        expected: f64,
    },
    /// A rest rotation that is no rotation.
    #[error("joint {joint} has a rest rotation of length {length}, expected 1")]
    RestRotation {
        /// The joint's label.
        joint: String,
        /// Length of the quaternion.
        length: f64,
    },
    /// glTF allows matrices of nodes only where translation, rotation and scale give them.
    #[error("joint {joint} has a rest matrix with shear or a vanishing axis, which glTF does not allow")]
    RestMatrix {
        /// The joint's label.
        joint: String,
    },
    /// An index that leads nowhere.
    #[error("{what} is {index}, expected below {count}")]
    Index {
        /// What names the index, for example `material of mesh 2, primitive 0`.
        what: String,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A list with another number of elements than what it belongs to.
    #[error("{what}: found {found}, expected {expected}")]
    Count {
        /// The list, for example `normals of mesh 2, primitive 0`.
        what: String,
        /// Elements it has.
        found: usize,
        /// Elements it should have.
        expected: usize,
    },
    /// A scene shows a joint that has a parent; glTF scenes list roots.
    #[error("scene {scene} lists joint {joint}, which has a parent; expected root joints")]
    SceneRoot {
        /// Index of the scene.
        scene: usize,
        /// The joint's label.
        joint: String,
    },
    /// glTF wants the joints of a skin under one root, or all in one scene.
    #[error("skin {skin} has joints under the roots {first} and {second}, and no scene shows all its joints")]
    SkinRoots {
        /// Index of the skin.
        skin: usize,
        /// Label of one root.
        first: String,
        /// Label of another.
        second: String,
    },
    /// glTF wants a skinned mesh and its joints in the same scene.
    #[error("scene {scene} shows the mesh of joint {joint}, but not joint {missing} of its skin {skin}")]
    SkinOutsideScene {
        /// Index of the scene.
        scene: usize,
        /// Label of the joint that carries the mesh.
        joint: String,
        /// Label of the joint that is not shown.
        missing: String,
        /// Index of the skin.
        skin: usize,
    },
    /// glTF wants each joint of a skin once, and at least one.
    #[error("skin {skin} lists joint {joint} twice, expected each joint once")]
    SkinJointTwice {
        /// Index of the skin.
        skin: usize,
        /// The joint's label.
        joint: String,
    },
    /// A list that glTF does not allow to be empty.
    #[error("{what} is empty")]
    Empty {
        /// The list, for example `vertices of mesh 2, primitive 0`.
        what: String,
    },
    /// A node carries one mesh.
    #[error("joint {joint} carries meshes {first} and {second}, expected one")]
    TwoMeshes {
        /// The joint's label.
        joint: String,
        /// Index of one mesh.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// Morph weights, at rest or in a clip, where no mesh has targets for them.
    #[error("joint {joint} has {weights} morph weights, its mesh has {targets} targets")]
    MorphWeights {
        /// The joint's label.
        joint: String,
        /// Weights of the joint.
        weights: usize,
        /// Targets of the mesh; 0 where there is no mesh.
        targets: usize,
    },
    /// A morph target moves normals that are not there.
    #[error("mesh {mesh}, primitive {primitive}: morph target {target} has normals, the primitive has none")]
    MorphNormals {
        /// Index of the mesh.
        mesh: usize,
        /// Index of the primitive.
        primitive: usize,
        /// Index of the target.
        target: usize,
    },
    /// Vertex weights that cannot be made to add up to one.
    #[error(
        "mesh {mesh}, primitive {primitive}, vertex {vertex}: {found}, expected weights of at least 0 that add \
         up to more than 0; they can only be written as stored"
    )]
    VertexWeights {
        /// Index of the mesh.
        mesh: usize,
        /// Index of the primitive.
        primitive: usize,
        /// Index of the vertex.
        vertex: usize,
        /// What it has.
        found: String,
    },
    /// A normal without a direction.
    #[error(
        "mesh {mesh}, primitive {primitive}, vertex {vertex}: a normal of length 0, which can only be written as stored"
    )]
    Normal {
        /// Index of the mesh.
        mesh: usize,
        /// Index of the primitive.
        primitive: usize,
        /// Index of the vertex.
        vertex: usize,
    },
    /// A carried attribute that glTF does not have: another name, element type or component type, or a number that
    /// does not follow on the one before it.
    #[error(
        "mesh {mesh}, primitive {primitive}: attribute {name} of {component_type} {element_type} is none that glTF \
         has, or stands alone without the number before it; it can only be written as stored"
    )]
    Attribute {
        /// Index of the mesh.
        mesh: usize,
        /// Index of the primitive.
        primitive: usize,
        /// Name of the attribute.
        name: String,
        /// Its glTF component type.
        component_type: u32,
        /// Its glTF element type.
        element_type: String,
    },
    /// A carried picture whose bytes were not read and that is no file.
    #[error("image {image} has neither bytes nor a file name; was the file read without pictures?")]
    ImageMissing {
        /// Index of the image.
        image: usize,
    },
    /// Bytes of a kind that glTF has no name for.
    #[error("image {image} is of no known kind: no mimeType, and neither PNG, JPEG, WebP nor KTX2")]
    ImageKind {
        /// Index of the image.
        image: usize,
    },
    /// glTF does not allow to animate a node that has a matrix.
    #[error("clip {clip}: the {target} of joint {joint} is animated, but the joint has a rest matrix")]
    AnimatedMatrix {
        /// The clip's label.
        clip: String,
        /// The joint's label.
        joint: String,
        /// glTF name of the property.
        target: &'static str,
    },
    /// A clip that does not fit the skeleton.
    #[error("clip {clip}: {source}")]
    Clip {
        /// The clip's label.
        clip: String,
        /// The rule it breaks.
        source: ClipError,
    },
    /// glTF has no animation without channels.
    #[error("clip {clip} has no channels, expected at least one")]
    ClipWithoutChannels {
        /// The clip's label.
        clip: String,
    },
    /// Two channels of a clip move the same property.
    #[error("clip {clip}: channels {first} and {second} both move the {target} of joint {joint}")]
    ChannelTwice {
        /// The clip's label.
        clip: String,
        /// The joint's label.
        joint: String,
        /// glTF name of the property.
        target: &'static str,
        /// Index of one channel.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// Two key times that are one in single precision, in which glTF stores them.
    #[error(
        "clip {clip}, {target} of joint {joint}: key {key} at {time} s is in single precision no later than \
         the key before it at {previous} s"
    )]
    TimesCollide {
        /// The clip's label.
        clip: String,
        /// The joint's label.
        joint: String,
        /// glTF name of the property.
        target: &'static str,
        /// The later key.
        key: usize,
        /// Its time, seconds.
        time: f64,
        /// Time of the key before, seconds.
        previous: f64,
    },
    /// A spline through rotations of other lengths than one, which cannot be rescaled key by key.
    #[error("clip {clip}, rotation of joint {joint}: spline key {key} has length {length}, expected 1")]
    SplineKeyLength {
        /// The clip's label.
        clip: String,
        /// The joint's label.
        joint: String,
        /// The key.
        key: usize,
        /// Length of the quaternion.
        length: f64,
    },
    /// An event that no playback would reach.
    #[error("clip {clip}: event {event:?} is at {time} s, expected 0 to {duration} s")]
    Event {
        /// The clip's label.
        clip: String,
        /// Name of the event.
        event: String,
        /// Its time, seconds.
        time: f64,
        /// Length of the clip, seconds.
        duration: f64,
    },
    /// A GLB's lengths are 32-bit.
    #[error("the file would have {bytes} bytes, a GLB can have {}", u32::MAX)]
    TooLarge {
        /// Bytes it would have.
        bytes: u64,
    },
}
