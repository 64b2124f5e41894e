import { compileCaveat } from './caveat.ts'
import type { CaveatLanguage } from './compiled-caveats.ts'
import { residualOfTrace } from './trace-residual.ts'

/** CEL, as SpiceDB has it. */
export const caveatLanguage: CaveatLanguage = { compile: compileCaveat, residualOfTrace }
