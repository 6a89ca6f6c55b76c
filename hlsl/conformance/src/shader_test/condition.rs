use super::{ParseError, cursor::Cursor};

/// A shader model in tests and conditions, where later models compare greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Model {
    /// Shader model 2.0, used only by tests for Direct3D 9.
    Sm2_0,
    /// Shader model 3.0, used only by tests for Direct3D 9.
    Sm3_0,
    /// Shader model 4.0, the first one that the suites compile for.
    Sm4_0,
    /// Shader model 4.1, which Direct3D 10.1 introduced.
    Sm4_1,
    /// Shader model 5.0, the last one that the suites compile for.
    Sm5_0,
    /// Shader model 5.1, which FXC compiles for Direct3D 12.
    Sm5_1,
    /// Shader model 6.0, which only DXC compiles.
    Sm6_0,
    /// Shader model 6.2, which only DXC compiles.
    Sm6_2,
}

/// The names of shader models, ordered so that longer names precede their prefixes.
const MODELS: [(&str, Model); 13] = [
    ("2.0", Model::Sm2_0),
    ("2", Model::Sm2_0),
    ("3.0", Model::Sm3_0),
    ("3", Model::Sm3_0),
    ("4.0", Model::Sm4_0),
    ("4.1", Model::Sm4_1),
    ("4", Model::Sm4_0),
    ("5.0", Model::Sm5_0),
    ("5.1", Model::Sm5_1),
    ("5", Model::Sm5_0),
    ("6.0", Model::Sm6_0),
    ("6.2", Model::Sm6_2),
    ("6", Model::Sm6_0),
];

/// A clause of a condition, which holds for some shader models or environments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clause {
    /// `sm>=X`: the shader model is X or later.
    AtLeast(Model),
    /// `sm<X`: the shader model is earlier than X.
    Below(Model),
    /// The name of an API or a driver, such as `vulkan`, if the clause holds only for it.
    Tag(String),
    /// The name of an API or a driver after `!`, if the clause does not hold for it.
    NotTag(String),
}

/// A condition after a qualifier, such as `(a & b | c)`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// Lists of clauses. The condition holds if all clauses of at least one list hold, or if this vector is
    /// empty.
    pub any: Vec<Vec<Clause>>,
}

impl Condition {
    /// Returns whether the condition holds for a shader model and for an environment with these tags.
    pub fn holds(&self, model: Model, tags: &[&str]) -> bool {
        let clause = |clause: &Clause| match clause {
            Clause::AtLeast(least) => model >= *least,
            Clause::Below(bound) => model < *bound,
            Clause::Tag(tag) => tags.contains(&tag.as_str()),
            Clause::NotTag(tag) => !tags.contains(&tag.as_str()),
        };
        self.any.is_empty() || self.any.iter().any(|all| all.iter().all(clause))
    }

    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Condition, ParseError> {
        let mut condition = Condition::default();
        if !cursor.symbol("(") {
            return Ok(condition);
        }
        let mut all = Vec::new();
        loop {
            all.push(clause(cursor)?);
            if cursor.symbol("&") {
                continue;
            }
            condition.any.push(std::mem::take(&mut all));
            if cursor.symbol(")") {
                return Ok(condition);
            }
            cursor.expect("|")?;
        }
    }
}

pub(super) fn model(cursor: &mut Cursor<'_>) -> Result<Model, ParseError> {
    let found = MODELS.iter().find(|(name, _)| cursor.symbol(name)).map(|(_, model)| *model);
    found.ok_or_else(|| cursor.error("unknown shader model"))
}

fn clause(cursor: &mut Cursor<'_>) -> Result<Clause, ParseError> {
    if cursor.symbol("sm>=") {
        return Ok(Clause::AtLeast(model(cursor)?));
    }
    if cursor.symbol("sm<") {
        return Ok(Clause::Below(model(cursor)?));
    }
    let negated = cursor.symbol("!");
    let rest = cursor.rest();
    let tag = &rest[..rest.find([' ', ')', '&', '|']).unwrap_or(rest.len())];
    if tag.is_empty() || !cursor.symbol(tag) {
        return Err(cursor.error("expected a shader model or a tag"));
    }
    let tag = tag.to_owned();
    Ok(if negated { Clause::NotTag(tag) } else { Clause::Tag(tag) })
}
