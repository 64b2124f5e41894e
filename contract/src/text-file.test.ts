import { expect, test } from 'vitest'
import { decodeTextFile, UndecodableText } from './text-file.ts'

const encode = (text: string, isBigEndian: boolean) =>
  new Uint8Array(
    [...text].flatMap((character) => {
      const code = character.charCodeAt(0)
      return isBigEndian ? [code >> 8, code & 255] : [code & 255, code >> 8]
    }),
  )

test.for<[string, Uint8Array]>([
  ['UTF-8', new TextEncoder().encode('Søren 日')],
  ['UTF-8 with a mark', new TextEncoder().encode('\ufeffSøren 日')],
  ['UTF-16, little endian', encode('\ufeffSøren 日', false)],
  ['UTF-16, big endian', encode('\ufeffSøren 日', true)],
])('a file in %s is decoded, without its byte order mark', ([, bytes]) => {
  expect(decodeTextFile(bytes)).toBe('Søren 日')
})

test.for<[string, number[]]>([
  ['windows-1252', [0x53, 0xf8, 0x72]],
  ['UTF-8 cut in a character', [0x53, 0xc3]],
  ['UTF-16 with half a character', [0xff, 0xfe, 0x00, 0xd8]],
  ['UTF-16 with half a code unit', [0xff, 0xfe, 0x41]],
])('a file in %s is refused', ([, bytes]) => {
  expect(() => decodeTextFile(new Uint8Array(bytes))).toThrow(UndecodableText)
})
