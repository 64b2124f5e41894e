import { createFileDecoder } from '@passport/contract/text-file'
import type { FileEncoding } from '@passport/contract/user-imports'
import { decodeInTurns } from '../http/decode-in-turns.ts'
import { InvalidUserFile } from './file-layout.ts'

/** Bytes that no text in windows-1252 has: those without a character, and control characters. */
const impossible = [0x81, 0x8d, 0x8f, 0x90, 0x9d, ...Array(32).keys(), 0x7f].filter(
  (byte) => ![0x09, 0x0a, 0x0d].includes(byte),
)
const advice = 'Save it as CSV in UTF-8.'

/**
 * Decodes a file: by its byte order mark, as UTF-8, or otherwise as windows-1252, which programs write that do not know
 * UTF-8. Throws `InvalidUserFile`.
 */
export async function decodeUserFile(bytes: Uint8Array): Promise<{ text: string; encoding: FileEncoding }> {
  rejectWorkbook(bytes)
  const decoder = createFileDecoder(bytes)
  const isUtf16 = decoder.encoding !== 'utf-8'
  if (!isUtf16 && bytes.includes(0)) throw new InvalidUserFile(`The file has NUL characters. ${advice}`)
  const text = await decodeInTurns(bytes, decoder).catch(() => undefined)
  if (text?.includes('\0')) throw new InvalidUserFile(`The file has NUL characters. ${advice}`)
  if (text !== undefined) return { text, encoding: isUtf16 ? 'UTF-16' : 'UTF-8' }
  const hasMark = isUtf16 || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
  if (hasMark)
    throw new InvalidUserFile(`The file begins as ${isUtf16 ? 'UTF-16' : 'UTF-8'}, but is damaged. ${advice}`)
  if (impossible.some((byte) => bytes.includes(byte)))
    throw new InvalidUserFile(`The encoding of the file is unknown. ${advice}`)
  return { text: await decodeInTurns(bytes, new TextDecoder('windows-1252')), encoding: 'windows-1252' }
}

/** The first bytes of workbooks: those of Excel and LibreOffice are zip files, those of old Excel compound files. */
const workbooks = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
]

function rejectWorkbook(bytes: Uint8Array) {
  if (workbooks.some((mark) => mark.every((byte, index) => bytes[index] === byte)))
    throw new InvalidUserFile(`The file is a workbook, not CSV. ${advice}`)
}
