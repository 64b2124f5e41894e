import { compileCaveat } from './caveat.ts'
import type { CaveatLanguage } from './compiled-caveats.ts'
import { computeTraceResidual } from './trace-residual.ts'

/** SpiceDB's dialect of CEL. */
export const caveatLanguage: CaveatLanguage = { compile: compileCaveat, computeTraceResidual }
