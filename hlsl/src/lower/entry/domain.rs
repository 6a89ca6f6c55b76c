//! Domain shaders: the function of a vertex.

use naga::Statement;

use crate::{
    check::tree::Numeric,
    interface::signature::{SignatureElement, SystemValue, is_factor},
    lower::{
        builder::Builder,
        entry::{CalledProgram, EntryPoint, patches::factor_place},
        lowerer::Lowerer,
        result::{Lowered, Value, naga_span},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

/// The name of the function that executes a domain shader. HLSL has no such names, so they are unique.
const DOMAIN: &str = "onze.domain";

/// The functions that return a control point and the patch constants.
const POINT: &str = "onze.point";
const CONSTANTS: &str = "onze.constants";

impl<'a> Lowerer<'a> {
    /// Adds a domain shader as a function.
    pub(super) fn domain_shader(&mut self, entry: &EntryPoint<'a>) -> Lowered<()> {
        let source = &self.program[entry.function];
        self.add_points(entry, POINT, None)?;
        let mut builder = Builder::new(self, DOMAIN);
        builder.span = naga_span(source.span);
        let result = builder.domain_body(entry, source.span)?;
        let function = builder.finish_program(result)?;
        let function = self.module.functions.append(function, naga_span(source.span));
        let location = self.vector_type(naga::Scalar::F32, 3);
        let mut caller = Builder::new(self, &source.name);
        let arguments = vec![caller.zero_of(location), caller.uint(0)];
        if caller.lowerer.module.functions[function].result.is_some() {
            caller.call_placeholder(function, arguments);
        } else {
            caller.push(Statement::Call { function, arguments, result: None });
        }
        caller.push(Statement::Return { value: None });
        let caller = caller.finish();
        self.compute_entry(source.name.to_string(), caller);
        Ok(())
    }
}

impl<'a> Builder<'_, 'a> {
    /// Adds the body of a domain shader and returns its result.
    fn domain_body(&mut self, entry: &EntryPoint<'a>, span: Span) -> Lowered<Option<naga::FunctionResult>> {
        let location = self.lowerer.vector_type(naga::Scalar::F32, 3);
        let number = self.lowerer.vector_type(naga::Scalar::U32, 1);
        let (location, primitive) = (self.argument("location", location), self.argument("primitive", number));
        let inputs = &entry.signature.inputs;
        let mut values = self.patch_inputs(inputs, primitive, None);
        for (element, value) in inputs.iter().zip(&mut values) {
            if element.system == SystemValue::DomainLocation {
                *value = self.domain_location(location, element);
            }
        }
        self.read_constants(entry, &mut values);
        let elements: Vec<_> = values.into_iter().zip(inputs).collect();
        let values = self.call_program(&CalledProgram::main(entry), &elements, &[], span)?;
        self.outputs(entry, &values, span)
    }

    /// Returns the location in the domain, as the type of an element.
    fn domain_location(&mut self, location: Value, element: &SignatureElement) -> Value {
        let zero = self.float(0.0);
        let component = |builder: &mut Self, at: u8| match at {
            0..=2 => builder.component(location, at.into()),
            _ => zero,
        };
        let components = (0..element.components).map(|at| component(self, at)).collect();
        let given = Numeric::vector(Scalar::Float, element.components);
        let value = self.numeric(given, components);
        self.convert(value, given, given.with(element.scalar))
    }

    /// Sets the values of those inputs of a domain shader that are patch constants, if the program reads one.
    fn read_constants(&mut self, entry: &EntryPoint<'a>, values: &mut [Value]) {
        let (inputs, first) = (&entry.signature.inputs, entry.signature.vertex_inputs);
        let constants =
            || inputs.iter().enumerate().skip(first).filter(|(_, element)| element.register.is_some());
        if constants().all(|(_, element)| element.used == 0) {
            return;
        }
        let domain = self.lowerer.domain(entry);
        let count = domain.edge_factors() + domain.inside_factors();
        let Some(vertex) = self.lowerer.vertex_struct("Constants", constants().collect(), count) else {
            return;
        };
        let function = self.lowerer.vertex_function(CONSTANTS, &vertex, false);
        let whole = self.call_placeholder(function, Vec::new());
        self.vertex_elements(&vertex, whole, inputs, values);
        let zero = self.float(0.0);
        for (at, element) in constants().filter(|(_, element)| is_factor(element.system)) {
            let factor = |component| factor_place(domain, element, component).filter(|place| *place < count);
            let places: Vec<_> = (0..u32::from(element.components)).map(factor).collect();
            let components = places
                .into_iter()
                .map(|place| match place {
                    Some(place) => self.access(whole, place),
                    None => zero,
                })
                .collect();
            let given = Numeric::vector(Scalar::Float, element.components);
            let value = self.numeric(given, components);
            values[at] = self.convert(value, given, given.with(element.scalar));
        }
    }
}
