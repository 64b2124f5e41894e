import { decodeTextFile, UndecodableText } from '@passport/contract/text-file'
import { DescribedError } from './api.ts'

/** Reads a text file that the user chose. Throws `DescribedError` if it is in another encoding than UTF-8 or UTF-16. */
export async function readTextFile(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  try {
    return decodeTextFile(bytes)
  } catch (error) {
    if (error instanceof UndecodableText) throw new DescribedError(`${file.name} ${error.message}.`)
    throw error
  }
}
