//! Stages and shader models, which are the targets of a compilation.

use std::{fmt, str::FromStr};

/// A programmable stage of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ShaderStage {
    /// The vertex shader (`vs` profiles).
    Vertex,
    /// The hull shader (`hs` profiles).
    Hull,
    /// The domain shader (`ds` profiles).
    Domain,
    /// The geometry shader (`gs` profiles).
    Geometry,
    /// The pixel shader (`ps` profiles).
    Pixel,
    /// The compute shader (`cs` profiles).
    Compute,
}

impl ShaderStage {
    const ALL: [(&'static str, &'static str, ShaderStage); 6] = [
        ("vs", "vertex shader", ShaderStage::Vertex),
        ("hs", "hull shader", ShaderStage::Hull),
        ("ds", "domain shader", ShaderStage::Domain),
        ("gs", "geometry shader", ShaderStage::Geometry),
        ("ps", "pixel shader", ShaderStage::Pixel),
        ("cs", "compute shader", ShaderStage::Compute),
    ];

    /// Returns the prefix of the stage's profiles, such as `vs`.
    pub fn prefix(self) -> &'static str {
        Self::ALL.iter().find(|(.., stage)| *stage == self).map_or("", |(prefix, ..)| prefix)
    }

    /// Returns the name of the stage's programs, such as `vertex shader`.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(.., stage)| *stage == self).map_or("", |(_, name, _)| name)
    }
}

/// A shader model version, which compares greater than earlier versions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ShaderModel {
    /// Shader Model 4.0 of Direct3D 10, with profiles such as `vs_4_0`.
    V4_0,
    /// Shader Model 4.1 of Direct3D 10.1, with profiles such as `vs_4_1`.
    V4_1,
    /// Shader Model 5.0 of Direct3D 11, with profiles such as `vs_5_0`.
    V5_0,
    /// Shader Model 5.1 of Direct3D 12, restricted to Direct3D 11's bindings: register spaces are ignored, so
    /// two resources in the same register of different spaces are an error.
    V5_1,
}

impl ShaderModel {
    /// Returns the major and minor version, for example 4 and 1 for Shader Model 4.1.
    pub fn version(self) -> (u32, u32) {
        match self {
            ShaderModel::V4_0 => (4, 0),
            ShaderModel::V4_1 => (4, 1),
            ShaderModel::V5_0 => (5, 0),
            ShaderModel::V5_1 => (5, 1),
        }
    }
}

/// A stage and a shader model, such as `ps_5_0`.
///
/// ```
/// use onze_hlsl::{Profile, ShaderModel, ShaderStage};
///
/// let profile: Profile = "ps_4_1".parse()?;
/// assert_eq!(profile, Profile::new(ShaderStage::Pixel, ShaderModel::V4_1));
/// assert_eq!(profile.to_string(), "ps_4_1");
/// # Ok::<(), onze_hlsl::UnknownProfile>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Profile {
    /// The stage, which determines the prefix of the profile's name.
    pub stage: ShaderStage,
    /// The shader model, which determines the version in the profile's name.
    pub model: ShaderModel,
}

/// The error for a name that is not a profile, or for a profile that is not supported.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.reason())]
pub struct UnknownProfile(String);

impl UnknownProfile {
    fn reason(&self) -> String {
        let name = &self.0;
        let (prefix, version) = name.split_once('_').unwrap_or_default();
        let is_stage = ShaderStage::ALL.iter().any(|(text, ..)| *text == prefix);
        let number = |profile: &str| profile.chars().next().and_then(|digit| digit.to_digit(10));
        match (prefix, number(version)) {
            ("fx", Some(_)) => format!(
                "the profile '{name}' is not supported: compile each shader of the effect with the profile of its stage, \
                 such as ps_5_0"
            ),
            ("lib", Some(_)) => format!(
                "the profile '{name}' is not supported, as functions of libraries cannot be linked: compile whole shaders \
                 with the profiles of their stages, such as ps_5_0"
            ),
            ("tx", Some(_)) | ("vs" | "ps", Some(1..=3)) => format!(
                "the profile '{name}' is one of Direct3D 9 and is not supported: use vs_4_0 or ps_4_0, with the \
                 backwards-compatible mode for functions such as tex2D"
            ),
            (_, Some(6)) if is_stage => {
                format!("the profile '{name}' is one of Direct3D 12 and is not supported: use {prefix}_5_0")
            }
            _ => format!("'{name}' is not a profile; profiles are vs_5_0, ps_4_1, cs_4_0 and the like"),
        }
    }
}

impl Profile {
    /// Creates the profile of a stage in a shader model, even if FXC does not have this profile.
    pub const fn new(stage: ShaderStage, model: ShaderModel) -> Profile {
        Profile { stage, model }
    }

    pub(crate) fn is_5(self) -> bool {
        self.model >= ShaderModel::V5_0
    }

    /// Returns whether the profile supports register spaces, which Shader Model 5.1 introduced.
    pub(crate) fn has_spaces(self) -> bool {
        self.model >= ShaderModel::V5_1
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    /// Parses names such as `vs_5_0`, and treats the profiles of feature level 9, such as `ps_4_0_level_9_1`,
    /// as Shader Model 4.0.
    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        let unknown = || UnknownProfile(name.to_owned());
        let (prefix, version) = name.split_once('_').ok_or_else(unknown)?;
        let (.., stage) = ShaderStage::ALL.iter().find(|(text, ..)| *text == prefix).ok_or_else(unknown)?;
        let model = match version {
            "4_0" | "4_0_level_9_0" | "4_0_level_9_1" | "4_0_level_9_3" => ShaderModel::V4_0,
            "4_1" => ShaderModel::V4_1,
            "5_0" => ShaderModel::V5_0,
            "5_1" => ShaderModel::V5_1,
            _ => return Err(unknown()),
        };
        let exists = match stage {
            ShaderStage::Hull | ShaderStage::Domain => model >= ShaderModel::V5_0,
            _ => true,
        };
        if exists { Ok(Profile::new(*stage, model)) } else { Err(unknown()) }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.model.version();
        write!(out, "{}_{major}_{minor}", self.stage.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_and_written() {
        for name in ["vs_4_0", "gs_4_1", "hs_5_0", "ds_5_1", "ps_5_1", "cs_4_0"] {
            assert_eq!(name.parse::<Profile>().unwrap().to_string(), name);
        }
        assert_eq!("vs_4_0_level_9_3".parse::<Profile>().unwrap().to_string(), "vs_4_0");
        for name in
            ["", "ps", "ps_3_0", "hs_4_0", "fx_5_0", "PS_5_0", "ps_6_0", "lib_6_3", "ps_5_0_level_9_1"]
        {
            assert!(name.parse::<Profile>().is_err(), "{name}");
        }
    }

    #[test]
    fn an_unsupported_profile_has_its_own_message() {
        for (name, reason) in [
            ("fx_5_0", "each shader of the effect"),
            ("fx_2_0", "each shader of the effect"),
            ("lib_5_0", "cannot be linked"),
            ("ps_3_0", "Direct3D 9"),
            ("vs_1_1", "Direct3D 9"),
            ("ps_2_a", "Direct3D 9"),
            ("tx_1_0", "Direct3D 9"),
            ("cs_6_0", "use cs_5_0"),
            ("ps_7_0", "'ps_7_0' is not a profile"),
            ("hs_4_0", "'hs_4_0' is not a profile"),
            ("xx_5_0", "'xx_5_0' is not a profile"),
            ("", "'' is not a profile"),
        ] {
            let error = name.parse::<Profile>().unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }
}
