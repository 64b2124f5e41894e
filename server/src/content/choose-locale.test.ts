import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseLocale, parseAcceptLanguage } from './choose-locale.ts'

test.for([
  ['de', ['de']],
  ['fr;q=0.5, de-AT, en;q=0.8', ['de-AT', 'en', 'fr']],
  ['de;q=0, en', ['en']],
  ['*;q=0.1, de', ['de', '*']],
  ['de;q=1.000,en;q=0.001', ['de', 'en']],
  ['de;q=2, en;q=x, fr;q=0.1234, it', ['it']],
  ['; drop table', []],
  ['', []],
  [undefined, []],
] as const)('reads the ranges of %j, best first', ([header, ranges]) => {
  expect(parseAcceptLanguage(header)).toEqual(ranges)
})

// RFC 4647, section 3.4, within the script of the range.
test.for([
  [['zh-Hant-CN-x-private1-private2'], ['zh-Hant-CN', 'zh-Hant', 'zh'], 'zh-Hant-CN'],
  [['zh-Hant-CN-x-private1'], ['zh-Hant', 'zh'], 'zh-Hant'],
  [['de-ch'], ['de', 'en'], 'de'],
  [['DE-ch'], ['de-CH', 'de'], 'de-CH'],
  [['de'], ['de-CH'], 'de-CH'],
  [['fr', 'de'], ['de', 'en'], 'de'],
  [['fr-FR', 'fr'], ['en'], undefined],
  [['*'], ['de'], undefined],
  [['iw'], ['he'], 'he'],
  [[], ['en'], undefined],
  // Likely subtags (UTS #35) and varieties (CLDR).
  [['zh-TW'], ['zh', 'zh-Hant', 'en'], 'zh-Hant'],
  [['zh-HK'], ['zh-Hant-TW', 'zh-Hans'], 'zh-Hant-TW'],
  [['zh-CN'], ['zh-Hant', 'zh-Hans'], 'zh-Hans'],
  [['zh'], ['zh-Hant', 'en'], 'zh-Hant'],
  [['pt'], ['pt-PT', 'pt-BR'], 'pt-BR'],
  [['pt-AO'], ['pt-BR', 'pt-PT'], 'pt-PT'],
  [['pt-PT', 'en'], ['en', 'pt-BR'], 'pt-BR'],
  [['es-MX'], ['es', 'es-419'], 'es-419'],
  [['es-MX'], ['es-ES', 'en'], 'es-ES'],
  [['es'], ['es-419', 'es-ES'], 'es-ES'],
  [['sr-Latn-RS'], ['sr', 'sr-Latn'], 'sr-Latn'],
  [['nb-NO'], ['en', 'no'], 'no'],
  [['no'], ['en', 'nb'], 'nb'],
] as const)('chooses for %j among %j the tag %j', ([ranges, tags, tag]) => {
  expect(chooseLocale([...ranges], [...tags])).toBe(tag)
})

test('reads any header, and chooses only a tag that exists', () => {
  const tags = ['en', 'de', 'de-CH', 'zh-Hant']
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect([undefined, ...tags]).toContain(chooseLocale(parseAcceptLanguage(header), tags))
    }),
  )
  expect(parseAcceptLanguage(`${'a,'.repeat(100_000)}de`).length).toBeLessThanOrEqual(30)
})
