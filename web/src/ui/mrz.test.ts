import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMachineReadableLines } from './mrz.ts'

test.for([
  ['Ada Lovelace', 'P<STAGE<<LOVELACE<<ADA'],
  ['Ada Byron King Lovelace', 'P<STAGE<<LOVELACE<<ADA<BYRON<KING'],
  ['ada', 'P<STAGE<<ADA'],
  ['  Ada   Lovelace ', 'P<STAGE<<LOVELACE<<ADA'],
  ['Zoë Ångström', 'P<STAGE<<ANGSTROM<<ZOE'],
  ['Jörg Strauß', 'P<STAGE<<STRAUSS<<JORG'],
  ['Søren Łukasz Þórr', 'P<STAGE<<THORR<<SOEREN<LUKASZ'],
  ['Conan O’Brien', 'P<STAGE<<OBRIEN<<CONAN'],
  ['Nguyễn Thị', 'P<STAGE<<THI<<NGUYEN'],
  ['ﬁona 3rd', 'P<STAGE<<3RD<<FIONA'],
  ['山田 太郎', 'P<STAGE<<'],
  ['<script>', 'P<STAGE<<SCRIPT'],
  ['', 'P<STAGE<<'],
] as const)('writes %s as %s', ([name, line]) => {
  expect(formatMachineReadableLines(name, 'x')[0]).toBe(line.padEnd(44, '<'))
})

test('keeps the letters and digits of an id', () => {
  expect(formatMachineReadableLines('Ada', '0192f0c1-7e57-7abc-8def-aa', 30)[1]).toBe('0192F0C1<7E57<7ABC<8DEF<AA<<<<')
})

test('truncates long values at the line width', () => {
  const [name, id] = formatMachineReadableLines('Wolfeschlegelsteinhausenbergerdorff Hubert Blaine', 'a'.repeat(99), 30)
  expect(name).toBe('P<STAGE<<BLAINE<<WOLFESCHLEGEL')
  expect(id).toBe('A'.repeat(30))
})

test('both lines have the given width and contain only A to Z, 0 to 9 and <', () => {
  const text = fc.string({ unit: 'binary', maxLength: 80 })
  fc.assert(
    fc.property(text, text, fc.integer({ min: 9, max: 60 }), (name, id, width) => {
      const lines = formatMachineReadableLines(name, id, width)
      expect(lines).toHaveLength(2)
      for (const line of lines) expect(line).toMatch(new RegExp(`^[A-Z0-9<]{${width}}$`))
      expect(lines[0]).toMatch(/^P<STAGE<</)
    }),
  )
})
