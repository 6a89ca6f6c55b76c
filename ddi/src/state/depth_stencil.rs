//! Depth-stencil states: the depth test, and the stencil tests with their operations.

use super::ComparisonFunc;

/// The change of a stencil value after the stencil and depth tests (D3D11: `D3D11_STENCIL_OP`).
#[doc(alias = "D3D11_STENCIL_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StencilOp {
    /// Keeps the stencil value unchanged (default).
    Keep,
    /// Sets the stencil value to 0.
    Zero,
    /// Sets the stencil value to the reference value that is bound with the state.
    Replace,
    /// Adds 1 to the value, except that 255 stays 255.
    IncrSat,
    /// Subtracts 1 from the value, except that 0 stays 0.
    DecrSat,
    /// Inverts all eight bits of the value.
    Invert,
    /// Adds 1 to the value and wraps from 255 to 0.
    Incr,
    /// Subtracts 1 from the value and wraps from 0 to 255.
    Decr,
}

/// The stencil test and its operations for front or back faces (D3D11: `D3D11_DEPTH_STENCILOP_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCILOP_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilOpDesc {
    /// Operation on the stencil value if the stencil test fails (default: `Keep`).
    pub stencil_fail_op: StencilOp,
    /// Operation on the stencil value if the stencil test passes and the depth test fails (default: `Keep`).
    pub stencil_depth_fail_op: StencilOp,
    /// Operation on the stencil value if both tests pass (default: `Keep`).
    pub stencil_pass_op: StencilOp,
    /// The stencil test, which compares the reference value with the stencil value (default: `Always`).
    pub stencil_func: ComparisonFunc,
}

impl Default for DepthStencilOpDesc {
    fn default() -> Self {
        Self::test(ComparisonFunc::Always)
    }
}

/// The description of a depth-stencil state: the depth test and the stencil tests (D3D11:
/// `D3D11_DEPTH_STENCIL_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCIL_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilDesc {
    /// Whether depth is tested (default: true), or false if depth is neither tested nor written.
    pub depth_enable: bool,
    /// Whether depth is written (default: true, D3D11: `D3D11_DEPTH_WRITE_MASK`).
    #[doc(alias = "D3D11_DEPTH_WRITE_MASK")]
    pub depth_write: bool,
    /// The depth test, which compares the new depth with the stored depth (default: `Less`).
    pub depth_func: ComparisonFunc,
    /// Whether stencil is tested and written (default: false).
    pub stencil_enable: bool,
    /// The bits that the stencil test compares (default: all eight).
    pub stencil_read_mask: u8,
    /// The bits of the stencil value that operations may write (default: all eight).
    pub stencil_write_mask: u8,
    /// The stencil test for triangles that face the viewer, and for points and lines.
    pub front_face: DepthStencilOpDesc,
    /// The stencil test for triangles that face away from the viewer.
    pub back_face: DepthStencilOpDesc,
}

impl DepthStencilOpDesc {
    /// Describes a test without operations, which passes if `func` is true for the reference value and the
    /// stencil value.
    pub const fn test(func: ComparisonFunc) -> Self {
        Self {
            stencil_fail_op: StencilOp::Keep,
            stencil_depth_fail_op: StencilOp::Keep,
            stencil_pass_op: StencilOp::Keep,
            stencil_func: func,
        }
    }

    /// Sets the operation for pixels where both the stencil test and the depth test pass.
    pub const fn on_pass(self, op: StencilOp) -> Self {
        Self { stencil_pass_op: op, ..self }
    }

    /// Sets the operation for pixels where the stencil test fails.
    pub const fn on_fail(self, op: StencilOp) -> Self {
        Self { stencil_fail_op: op, ..self }
    }

    /// Sets the operation for pixels where the stencil test passes and the depth test fails.
    pub const fn on_depth_fail(self, op: StencilOp) -> Self {
        Self { stencil_depth_fail_op: op, ..self }
    }
}

impl DepthStencilDesc {
    /// Describes the default depth test with a stencil test that applies to both faces and compares all bits.
    ///
    /// `om_set_depth_stencil_state` binds the reference value with the state. To draw an outline, for
    /// example, a first pass marks the object's pixels, and a second pass draws a larger copy of the object
    /// over the unmarked pixels:
    ///
    /// ```
    /// use onze_ddi::{ComparisonFunc, DepthStencilDesc, DepthStencilOpDesc, StencilOp};
    ///
    /// // With a reference of 1, the stencil value of each visible pixel of the object becomes 1.
    /// let mark = DepthStencilOpDesc::test(ComparisonFunc::Always).on_pass(StencilOp::Replace);
    /// let mark = DepthStencilDesc::stencil(mark);
    /// assert!(mark.stencil_enable && mark.depth_enable);
    ///
    /// // With the same reference, this draws only pixels whose stencil value is not 1, whatever their depth.
    /// let outline = DepthStencilDesc::stencil(DepthStencilOpDesc::test(ComparisonFunc::NotEqual)).without_depth();
    /// assert_eq!(outline.front_face.stencil_func, ComparisonFunc::NotEqual);
    ///
    /// // A shadow volume increments the stencil value for hidden back faces and decrements it for hidden
    /// // front faces.
    /// let volume = DepthStencilOpDesc::test(ComparisonFunc::Always);
    /// let volume = DepthStencilDesc::stencil(volume.on_depth_fail(StencilOp::Decr))
    ///     .back_stencil(volume.on_depth_fail(StencilOp::Incr))
    ///     .read_only_depth();
    /// assert!(volume.depth_enable && !volume.depth_write);
    /// ```
    pub const fn stencil(faces: DepthStencilOpDesc) -> Self {
        Self {
            depth_enable: true,
            depth_write: true,
            depth_func: ComparisonFunc::Less,
            stencil_enable: true,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0xff,
            front_face: faces,
            back_face: faces,
        }
    }

    /// Sets a separate stencil test for triangles that face away from the viewer, while the test for front
    /// faces stays the same.
    pub const fn back_stencil(self, back_face: DepthStencilOpDesc) -> Self {
        Self { back_face, ..self }
    }

    /// Sets the masks of the stencil bits to compare and to write.
    pub const fn stencil_masks(self, read: u8, write: u8) -> Self {
        Self { stencil_read_mask: read, stencil_write_mask: write, ..self }
    }

    /// Keeps the depth test but disables depth writes, for example for transparent objects.
    pub const fn read_only_depth(self) -> Self {
        Self { depth_write: false, ..self }
    }

    /// Disables the depth test, without which depth is not written either.
    pub const fn without_depth(self) -> Self {
        Self { depth_enable: false, ..self }
    }
}

impl Default for DepthStencilDesc {
    fn default() -> Self {
        Self {
            depth_enable: true,
            depth_write: true,
            depth_func: ComparisonFunc::Less,
            stencil_enable: false,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0xff,
            front_face: DepthStencilOpDesc::default(),
            back_face: DepthStencilOpDesc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencil_adds_a_test_to_the_default_state() {
        let test = DepthStencilOpDesc {
            stencil_fail_op: StencilOp::Zero,
            stencil_depth_fail_op: StencilOp::Incr,
            stencil_pass_op: StencilOp::Replace,
            stencil_func: ComparisonFunc::Equal,
        };
        let expected = DepthStencilDesc {
            stencil_enable: true,
            front_face: test,
            back_face: test,
            ..DepthStencilDesc::default()
        };
        let built = DepthStencilOpDesc::test(ComparisonFunc::Equal)
            .on_fail(StencilOp::Zero)
            .on_depth_fail(StencilOp::Incr)
            .on_pass(StencilOp::Replace);
        assert_eq!(built, test);
        assert_eq!(DepthStencilDesc::stencil(test), expected);
        let back = DepthStencilOpDesc::test(ComparisonFunc::Never);
        let changed = DepthStencilDesc::stencil(test).back_stencil(back).stencil_masks(3, 5);
        let masks = DepthStencilDesc { stencil_read_mask: 3, stencil_write_mask: 5, ..expected };
        assert_eq!(changed, DepthStencilDesc { back_face: back, ..masks });
        assert_eq!(
            DepthStencilDesc::stencil(test).read_only_depth(),
            DepthStencilDesc { depth_write: false, ..expected }
        );
        assert_eq!(
            DepthStencilDesc::stencil(test).without_depth(),
            DepthStencilDesc { depth_enable: false, ..expected }
        );
    }
}
