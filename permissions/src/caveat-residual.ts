import { type CelInput, isCelError } from '@bufbuild/cel'
import type { Budget } from './budget.ts'
import {
  type CelExpression,
  type CelSource,
  namesIn,
  parseExpression,
  partsOf,
  sizeOf,
  withOurNames,
} from './cel-expression.ts'
import { planExpression } from './cel-library.ts'
import { printLiteral } from './cel-literal.ts'
import { metered, metering } from './cel-meter.ts'

/** A part of what is left: its text, how strongly it holds together, and whether it can only be true or false. */
interface Left {
  text: string
  strength: number
  isBool: boolean
}

const operators: Record<string, { sign: string; strength: number; isBool?: true }> = {
  '_||_': { sign: '||', strength: 1, isBool: true },
  '_&&_': { sign: '&&', strength: 2, isBool: true },
  '_==_': { sign: '==', strength: 3, isBool: true },
  '_!=_': { sign: '!=', strength: 3, isBool: true },
  '_<_': { sign: '<', strength: 3, isBool: true },
  '_<=_': { sign: '<=', strength: 3, isBool: true },
  '_>_': { sign: '>', strength: 3, isBool: true },
  '_>=_': { sign: '>=', strength: 3, isBool: true },
  '@in': { sign: 'in', strength: 3, isBool: true },
  '_+_': { sign: '+', strength: 4 },
  '_-_': { sign: '-', strength: 4 },
  '_*_': { sign: '*', strength: 5 },
  '_/_': { sign: '/', strength: 5 },
  '_%_': { sign: '%', strength: 5 },
}
const unary = 6
const member = 7
const whole = 8
const bools = new Set(
  'contains startsWith endsWith matches in_cidr isSubtreeOf bool exists all exists_one has'.split(' '),
)

const longest = 4000
/** Each part is made ready anew, which takes longer than to run it. */
const stepsOfPart = 10

/** What is known of the parameters, and of which of them CEL can write the value. */
export interface Known {
  budget: Budget
  values: Readonly<Record<string, CelInput>>
  /** Parameters whose values have no text in CEL, such as addresses, are left standing by their names. */
  isWritable: (name: string) => boolean
  isBool: (name: string) => boolean
}

/**
 * What is left of an expression with the values that are known put in: parts that can be worked out are, and operands
 * that decide nothing are left out. Undefined where it would have more than 4000 characters. With every completion of
 * what is known it comes out as the expression itself does.
 */
export function residualOf(expression: string, known: Known): string | undefined {
  const { text } = new Residual(parseExpression(expression), known).of()
  return text.length > longest ? undefined : text
}

/** Parts with an operator between them, each once, as it reads without more parentheses than it needs. */
export function joined(parts: readonly string[], sign: '&&' | '||'): string {
  const strength = sign === '&&' ? 2 : 1
  const [first = '', ...others] = [...new Set(parts)]
  if (others.length === 0) return first
  return [first, ...others].map((part) => (strengthOf(part) < strength ? `(${part})` : part)).join(` ${sign} `)
}

export const negated = (part: string): string => (strengthOf(part) < member ? `!(${part})` : `!${part}`)

function strengthOf(text: string): number {
  const { exprKind: kind } = parseExpression(text).expr
  if (kind.case !== 'callExpr') return whole
  const { function: name } = kind.value
  if (name === '_?_:_') return 0
  return operators[name]?.strength ?? (name === '!_' || name === '-_' ? unary : whole)
}

class Residual {
  readonly #source: CelSource
  readonly #known: Known
  readonly #byId = new Map<bigint, CelExpression>()

  constructor(source: CelSource, known: Known) {
    this.#source = source
    this.#known = known
    const visit = (part: CelExpression): void => {
      this.#byId.set(part.id, part)
      for (const inner of partsOf(part)) visit(inner)
    }
    visit(source.expr)
  }

  of(): Left {
    return this.#left(this.#source.expr, new Set())
  }

  /** `items` are the names that loops around it give. */
  #left(part: CelExpression, items: ReadonlySet<string>): Left {
    const text = this.#workedOut(part, items)
    if (text !== undefined) {
      const isBool = text === 'true' || text === 'false'
      // A number in front of a dot, or with a sign, wants parentheses.
      return { text, strength: /^[-\d]/.test(text) ? unary : whole, isBool }
    }
    const { exprKind: kind } = part
    switch (kind.case) {
      case 'identExpr':
        return { text: kind.value.name, strength: whole, isBool: this.#known.isBool(kind.value.name) }
      case 'constExpr':
        return leaf(constantText(part))
      case 'selectExpr': {
        const { operand, field, testOnly } = kind.value
        const path = `${this.#within(operand, member, items)}.${field}`
        return testOnly ? { text: `has(${path})`, strength: whole, isBool: true } : leaf(path)
      }
      case 'listExpr':
        return leaf(`[${kind.value.elements.map((element) => this.#within(element, 0, items)).join(', ')}]`)
      case 'structExpr': {
        const entries = kind.value.entries.map(({ keyKind, value }) => {
          const key = keyKind.case === 'mapKey' ? this.#within(keyKind.value, 0, items) : ''
          return `${key}: ${this.#within(value, 0, items)}`
        })
        return leaf(`{${entries.join(', ')}}`)
      }
      case 'comprehensionExpr':
        return this.#loop(part, items)
      case 'callExpr':
        return this.#call(kind.value.function, kind.value.target, kind.value.args, items)
      default:
        throw new Error('A part of the expression cannot be read.')
    }
  }

  /** The text of the value, where all names are known and nothing fails. */
  #workedOut(part: CelExpression, items: ReadonlySet<string>): string | undefined {
    const { budget } = this.#known
    budget.spend(stepsOfPart * sizeOf(part))
    const names = namesIn(part)
    for (const name of names) if (items.has(name)) return undefined
    const used = Object.keys(this.#known.values)
    const isKnown = (name: string) => name in this.#known.values || this.#isOfLoop(name, part)
    if (![...names].every(isKnown)) return undefined
    const run = planExpression(metering(withOurNames(structuredClone(part))))
    const value = metered(budget, () => run({ ...this.#known.values }))
    if (isCelError(value)) return undefined
    if (typeof value !== 'boolean' && used.some((name) => names.has(name) && !this.#known.isWritable(name)))
      return undefined
    return printLiteral(value)
  }

  #isOfLoop(name: string, part: CelExpression): boolean {
    const { exprKind: kind } = part
    const isOwn = kind.case === 'comprehensionExpr' && [kind.value.iterVar, kind.value.accuVar].includes(name)
    return isOwn || partsOf(part).some((inner) => this.#isOfLoop(name, inner))
  }

  #within(part: CelExpression | undefined, strength: number, items: ReadonlySet<string>): string {
    if (!part) return ''
    const left = this.#left(part, items)
    return left.strength < strength ? `(${left.text})` : left.text
  }

  #call(name: string, target: CelExpression | undefined, args: CelExpression[], items: ReadonlySet<string>): Left {
    const [first, second] = args
    if ((name === '_&&_' || name === '_||_') && first && second) return this.#logic(name, first, second, items)
    if (name === '_?_:_') return this.#choice(args, items)
    const operator = operators[name]
    if (operator) {
      const { sign, strength, isBool = false } = operator
      const text = `${this.#within(first, strength + (isBool ? 1 : 0), items)} ${sign} ${this.#within(second, strength + 1, items)}`
      return { text, strength, isBool }
    }
    if (name === '!_' || name === '-_')
      return { text: `${name[0]}${this.#within(first, member, items)}`, strength: unary, isBool: name === '!_' }
    if (name === '_[_]') return leaf(`${this.#within(first, member, items)}[${this.#within(second, 0, items)}]`)
    const list = args.map((argument) => this.#within(argument, 0, items)).join(', ')
    const text = target ? `${this.#within(target, member, items)}.${name}(${list})` : `${name}(${list})`
    return { text, strength: whole, isBool: bools.has(name) }
  }

  /** `false` decides `&&`, and `true` adds nothing to it; but only to what is a bool, since `true && 1` fails. */
  #logic(name: '_&&_' | '_||_', first: CelExpression, second: CelExpression, items: ReadonlySet<string>): Left {
    const [decides, adds] = name === '_&&_' ? ['false', 'true'] : ['true', 'false']
    const sides = [this.#left(first, items), this.#left(second, items)]
    const decided = sides.find(({ text }) => text === decides)
    if (decided) return decided
    const [one, other] = sides as [Left, Left]
    if (one.text === adds && other.isBool) return other
    if (other.text === adds && one.isBool) return one
    const { sign, strength } = operators[name] as { sign: string; strength: number }
    const text = sides.map((side) => (side.strength < strength ? `(${side.text})` : side.text)).join(` ${sign} `)
    return { text, strength, isBool: true }
  }

  #choice([condition, yes, no]: CelExpression[], items: ReadonlySet<string>): Left {
    if (!condition || !yes || !no) throw new Error('A part of the expression is missing.')
    const asked = this.#left(condition, items)
    if (asked.text === 'true') return this.#left(yes, items)
    if (asked.text === 'false') return this.#left(no, items)
    const [one, other] = [this.#left(yes, items), this.#left(no, items)]
    const [question, answer] = [asked, one].map((side) => (side.strength < 1 ? `(${side.text})` : side.text))
    return { text: `${question} ? ${answer} : ${other.text}`, strength: 0, isBool: one.isBool && other.isBool }
  }

  /** The macro that a loop was written as. */
  #loop(part: CelExpression, items: ReadonlySet<string>): Left {
    const call = this.#source.sourceInfo?.macroCalls[String(part.id)]?.exprKind
    if (call?.case !== 'callExpr') throw new Error('A loop was not written as a macro.')
    const { function: name, target, args } = call.value
    const [item, ...rest] = args
    const variable = item?.exprKind.case === 'identExpr' ? item.exprKind.value.name : ''
    const inner = new Set([...items, variable])
    const list = rest.map((argument) => this.#within(this.#real(argument), 0, inner))
    const over = this.#within(target && this.#real(target), member, items)
    return { text: `${over}.${name}(${[variable, ...list].join(', ')})`, strength: whole, isBool: bools.has(name) }
  }

  /** In what a macro was written as, loops stand by their ids only. */
  #real(part: CelExpression): CelExpression {
    return this.#byId.get(part.id) ?? part
  }
}

const leaf = (text: string): Left => ({ text, strength: whole, isBool: false })

function constantText({ exprKind: kind }: CelExpression): string {
  const constant = kind.case === 'constExpr' ? kind.value.constantKind : undefined
  if (constant?.case === 'uint64Value') return `${constant.value}u`
  throw new Error('A constant cannot be written.')
}
