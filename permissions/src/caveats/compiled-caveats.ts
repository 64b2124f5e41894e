import { maxSchemaProblems, PermissionError, type SchemaProblem } from '../error.ts'
import type { Budget } from '../evaluate/budget.ts'
import type { Trace } from '../evaluate/trace.ts'
import type { CaveatContext } from '../graph/relationship.ts'
import type { CaveatDeclaration, Position, Span } from '../schema/schema.ts'

export interface CaveatResult {
  result: 'true' | 'false' | 'missing'
  /** Sorted names of the missing parameters that affect the result. */
  missing: string[]
}

/** A valid caveat that was compiled for repeated evaluation. */
export interface CompiledCaveat {
  /**
   * Throws `context-type` for a value that does not match its parameter, and `context-too-large`. A relationship with
   * an unknown name throws `context-type` too; a request may have it, because it may concern several caveats.
   */
  check: (context: CaveatContext, field: string, source?: 'request' | 'relationship') => void
  /**
   * Evaluates the caveat. Values of the relationship override those of the request. Throws `context-type` as `check`
   * does, `caveat-failed` for an error on which the result depends, such as a division by zero, and `too-much-work`.
   */
  evaluate: (context: CaveatContext, relationshipContext?: CaveatContext, budget?: Budget) => CaveatResult
  /**
   * Partially evaluates the expression with the known values: with `day` known, `day == "fri" && level >= 3` becomes
   * `level >= 3`. The names of known addresses and uints remain, because CEL has no literals for them. Returns
   * undefined if the residual is too long. Throws `context-type` as `check` does, and `too-much-work`.
   */
  computeResidual: (context: CaveatContext, relationshipContext?: CaveatContext, budget?: Budget) => string | undefined
}

/** The implementation of the caveat language. It needs a library, which is loaded only for schemas with caveats. */
export interface CaveatLanguage {
  compile: (declaration: CaveatDeclaration) => CompiledCaveat
  computeTraceResidual: (trace: Trace) => string | undefined
}

let language: CaveatLanguage | undefined
const compiled = new WeakMap<CaveatDeclaration, CompiledCaveat>()

/** Registers the caveat language, which must happen before the first schema with a caveat is compiled. */
export function registerCaveatLanguage(implementation: CaveatLanguage): void {
  language = implementation
}

/** Compiles a caveat once per declaration. Throws `CaveatError` for an invalid one. */
export function compileCaveatOnce(declaration: CaveatDeclaration): CompiledCaveat {
  const cached = compiled.get(declaration)
  if (cached) return cached
  const caveat = requireLanguage().compile(declaration)
  compiled.set(declaration, caveat)
  return caveat
}

/** Calls the function of `trace-residual.ts`. A conditional result implies that the caveat language is loaded. */
export const computeTraceResidual = (trace: Trace): string | undefined => requireLanguage().computeTraceResidual(trace)

function requireLanguage(): CaveatLanguage {
  if (!language) throw new Error('The schema was compiled without support for caveats.')
  return language
}

/** CEL's reserved words and type names. */
const reserved = new Set([
  ...'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
  ...'bool bytes double int list map null_type string type uint'.split(' '),
])

/** The maximum number of words and symbols in all expressions: the CEL parser takes up to 20 µs for each. */
const maxWords = 5_000

/**
 * Finds invalid parameters, and expressions that are invalid, have type errors or use unsupported features. Stops after
 * the caveat with which there are `maxSchemaProblems`.
 */
export function checkCaveats(caveats: readonly CaveatDeclaration[], text: string): SchemaProblem[] {
  const tooMany = findTooManyWords(caveats)
  if (tooMany) return [tooMany]
  const allProblems: SchemaProblem[] = []
  for (const caveat of caveats) {
    const problems = checkParameters(caveat).map((message) => ({ message, span: caveat.span }))
    allProblems.push(...(problems.length > 0 ? problems : checkExpression(caveat, text)))
    if (allProblems.length >= maxSchemaProblems) break
  }
  return allProblems
}

function findTooManyWords(caveats: readonly CaveatDeclaration[]): SchemaProblem | undefined {
  const message = `The caveats of a schema must have at most ${maxWords} tokens in total.`
  let words = 0
  for (const { expression, span } of caveats) {
    words += countWords(expression)
    if (words > maxWords) return { message, span }
  }
  return undefined
}

function countWords(expression: string): number {
  return expression.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0
}

function checkParameters({ name: caveat, parameters }: CaveatDeclaration): string[] {
  const seen = new Set<string>()
  return parameters.flatMap(({ name }) => {
    if (seen.size === seen.add(name).size) return [`The caveat \`${caveat}\` has the parameter \`${name}\` twice.`]
    const isName = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !reserved.has(name)
    return isName ? [] : [`\`${name}\` is not a valid parameter name.`]
  })
}

function checkExpression(caveat: CaveatDeclaration, text: string): SchemaProblem[] {
  try {
    compileCaveatOnce(caveat)
    return []
  } catch (error) {
    if (!(error instanceof CaveatError)) throw error
    return [{ message: error.message, span: spanOf(caveat, text, error.offset) }]
  }
}

/** Returns the span from an offset in the expression to the end of the caveat. */
function spanOf({ span, expression }: CaveatDeclaration, text: string, offset: number): Span {
  const expressionStart = text.indexOf(expression, span.start.offset)
  return { start: expressionStart < 0 ? span.start : positionAt(text, expressionStart + offset), end: span.end }
}

function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset }
}

/** An invalid caveat. `offset` is a position in the expression, in UTF-16 code units. It is 0 if unknown. */
export class CaveatError extends PermissionError {
  override name = 'CaveatError'
  readonly offset: number

  constructor(caveat: string, message: string, offset = 0) {
    super('schema-invalid', `The caveat \`${caveat}\`: ${message}`, 'schema')
    this.offset = offset
  }
}

/** An error at an offset in an expression. `compileCaveat` throws it as a `CaveatError` with the name of the caveat. */
export class ExpressionError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}
