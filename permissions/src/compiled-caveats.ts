import type { Caveat } from './caveat.ts'
import type { CaveatDeclaration } from './schema.ts'

type Compile = (declaration: CaveatDeclaration) => Caveat

let compile: Compile | undefined
const compiled = new WeakMap<CaveatDeclaration, Caveat>()

/** Says what compiles caveats. It brings a language along, so that whoever has no caveats need not load it. */
export function compileCaveatsBy(compiler: Compile): void {
  compile = compiler
}

/** A caveat ready to be asked, made once for each declaration. Throws `CaveatFault` for one that is not sound. */
export function caveatOf(declaration: CaveatDeclaration): Caveat {
  const known = compiled.get(declaration)
  if (known) return known
  if (!compile) throw new Error('Nothing compiles caveats: the schema was compiled without them.')
  const caveat = compile(declaration)
  compiled.set(declaration, caveat)
  return caveat
}
