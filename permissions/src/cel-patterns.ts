import { RE2JS } from '@bufbuild/re2'
import { spend } from './cel-meter.ts'

/** In instructions: those of repetitions as often as they are repeated. SpiceDB takes larger ones. */
const maxPatternSize = 1000
/** Enough for the patterns that schemas write out; those that callers send come and go. */
const maxPatterns = 200
const patterns = new Map<string, RE2JS>()

/** What takes as long as a step: so much of an instruction to compile, and so many that are looked at for a character. */
const stepsToCompile = 400
const lookedAtInStep = 8
/** What a pattern keeps of the texts that it was tried on, in numbers. */
const maxKept = 50_000

/** Goes through the text once, with as many states as the pattern has, whatever the pattern (RE2). */
export function matches(text: string, pattern: string): boolean {
  const compiled = patterns.get(pattern) ?? compile(pattern)
  const { prog, dfa } = compiled.re2()
  const size = prog.numInst()
  spend((text.length * size) / lookedAtInStep)
  const isFound = compiled.test(text)
  if (dfa.stateCount * (128 + size) > maxKept) compiled.reset()
  return isFound
}

function compile(text: string): RE2JS {
  if (isPatternTooLarge(text)) throw new Error('this pattern is too large')
  spend(patternSize(text) * stepsToCompile)
  const pattern = RE2JS.compile(text)
  if (patterns.size >= maxPatterns) patterns.clear()
  patterns.set(text, pattern)
  return pattern
}

/** In characters. */
const longest = 4000
export const isPatternTooLarge = (text: string): boolean => patternSize(text) > maxPatternSize

const repetition = /\{(\d+)(?:,(\d*))?\}/y
const named = /\\[pP]\{[^}]*\}/y
const classOfCharacters = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]/y

/** About as many instructions as a pattern would have, told before they are made. */
function patternSize(text: string): number {
  if (text.length > longest) return text.length
  const outer: number[] = []
  let size = 0
  let last = 0
  const take = (expression: RegExp, at: number) => {
    expression.lastIndex = at
    return expression.exec(text)
  }
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const repeated = character === '{' && take(repetition, at)
    if (repeated) {
      const [all, least = '', most = ''] = repeated
      const times = Math.max(1, Number(least), Number(most))
      size += last * (times - 1)
      last *= times
      at += all.length - 1
    } else if (character === '(') {
      outer.push(size)
      size = 0
    } else if (character === ')') {
      last = size + 2
      size = last + (outer.pop() ?? 0)
    } else {
      const whole = take(classOfCharacters, at) ?? take(named, at)
      last = whole ? 1 + whole[0].length / 8 : 1
      size += last
      if (whole) at += whole[0].length - 1
      else if (character === '\\') at++
    }
  }
  return outer.reduce((sum, one) => sum + one, size)
}
