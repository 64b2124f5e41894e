import type { Trace } from '../evaluate/trace.ts'
import type { CaveatDeclaration } from '../schema/schema.ts'
import type { Caveat } from './caveat.ts'

/** The implementation of the caveat language. It depends on a library that schemas without caveats need not load. */
export interface CaveatLanguage {
  compile: (declaration: CaveatDeclaration) => Caveat
  computeTraceResidual: (trace: Trace) => string | undefined
}

let language: CaveatLanguage | undefined
const compiled = new WeakMap<CaveatDeclaration, Caveat>()

/** Registers the caveat language. Call it before compiling the first schema with a caveat. */
export function registerCaveatLanguage(implementation: CaveatLanguage): void {
  language = implementation
}

/** Compiles a caveat once per declaration. Throws `CaveatFault` for an invalid one. */
export function compileCaveatOnce(declaration: CaveatDeclaration): Caveat {
  const cached = compiled.get(declaration)
  if (cached) return cached
  const caveat = requireLanguage().compile(declaration)
  compiled.set(declaration, caveat)
  return caveat
}

/** The residual of a conditional answer, which requires caveats; see `trace-residual.ts`. */
export const computeTraceResidual = (trace: Trace): string | undefined => requireLanguage().computeTraceResidual(trace)

function requireLanguage(): CaveatLanguage {
  if (!language) throw new Error('The schema was compiled without support for caveats.')
  return language
}
