import { RE2JS } from '@bufbuild/re2'
import { spend } from './cel-meter.ts'

/** In instructions, with repetitions expanded. SpiceDB accepts larger patterns. */
const maxPatternSize = 1000
/** The maximum number of cached patterns: enough for those of schemas, while requests may send any number. */
const maxPatterns = 200
const patterns = new Map<string, RE2JS>()

/** The steps to compile one instruction. */
const stepsToCompile = 400
/** The number of instructions examined in one step for a character. */
const instructionsPerStep = 8
/** The maximum size of a pattern's cache of DFA states, in numbers. */
const maxCacheSize = 50_000

/**
 * Reports whether a text matches an RE2 pattern, in time linear in the text. Throws for an invalid or large pattern.
 */
export function matches(text: string, pattern: string): boolean {
  const compiled = patterns.get(pattern) ?? compile(pattern)
  const { prog, dfa } = compiled.re2()
  const size = prog.numInst()
  spend((text.length * size) / instructionsPerStep)
  const isMatch = compiled.test(text)
  if (dfa.stateCount * (128 + size) > maxCacheSize) compiled.reset()
  return isMatch
}

function compile(text: string): RE2JS {
  if (isPatternTooLarge(text)) throw new Error('this pattern is too large')
  spend(estimateSize(text) * stepsToCompile)
  const pattern = RE2JS.compile(text)
  if (patterns.size >= maxPatterns) patterns.clear()
  patterns.set(text, pattern)
  return pattern
}

/** In characters. */
const maxLength = 4000

/** Reports whether a pattern is too large to be compiled. */
export const isPatternTooLarge = (text: string): boolean => estimateSize(text) > maxPatternSize

const repetition = /\{(\d+)(?:,(\d*))?\}/y
const unicodeClass = /\\[pP]\{[^}]*\}/y
const characterClass = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]/y

/** Estimates the number of instructions in a pattern before compiling it. */
function estimateSize(text: string): number {
  if (text.length > maxLength) return text.length
  const outer: number[] = []
  let size = 0
  let last = 0
  const matchAt = (expression: RegExp, at: number) => {
    expression.lastIndex = at
    return expression.exec(text)
  }
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const repeated = character === '{' && matchAt(repetition, at)
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
      const whole = matchAt(characterClass, at) ?? matchAt(unicodeClass, at)
      last = whole ? 1 + whole[0].length / 8 : 1
      size += last
      if (whole) at += whole[0].length - 1
      else if (character === '\\') at++
    }
  }
  return outer.reduce((sum, groupSize) => sum + groupSize, size)
}
