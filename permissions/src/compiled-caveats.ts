import type { Caveat } from './caveat.ts'
import type { CaveatDeclaration } from './schema.ts'
import type { Trace } from './trace.ts'

/** What knows the language of caveats. It brings a library along, so that whoever has no caveats need not load it. */
export interface CaveatLanguage {
  compile: (declaration: CaveatDeclaration) => Caveat
  residualOfTrace: (trace: Trace) => string | undefined
}

let language: CaveatLanguage | undefined
const compiled = new WeakMap<CaveatDeclaration, Caveat>()

/** Says what knows the language, before the first schema with a caveat is compiled. */
export function understandCaveatsBy(what: CaveatLanguage): void {
  language = what
}

/** A caveat ready to be asked, made once for each declaration. Throws `CaveatFault` for one that is not sound. */
export function caveatOf(declaration: CaveatDeclaration): Caveat {
  const known = compiled.get(declaration)
  if (known) return known
  const caveat = understood().compile(declaration)
  compiled.set(declaration, caveat)
  return caveat
}

/** What is left to be found out for a conditional answer, which there is with caveats only; see `trace-residual.ts`. */
export const residualOfTrace = (trace: Trace): string | undefined => understood().residualOfTrace(trace)

function understood(): CaveatLanguage {
  if (!language) throw new Error('Nothing knows the language of caveats: the schema was compiled without them.')
  return language
}
