import { avatarInvalid, type Finding } from './problems.ts'

const findings = {
  type: { code: 'model-type', message: 'The model must be a binary glTF 2.0 file (.glb).' },
  length: { code: 'model-length', message: 'The length in the header of the model differs from the size of the file.' },
} satisfies Record<string, Finding>

/** Throws 400 unless a file is a binary glTF (glTF 2.0, section 4.4). */
export function checkModel(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isModel = bytes.length >= 20 && view.getUint32(0) === 0x676c5446 && view.getUint32(4, true) === 2
  if (!isModel) throw avatarInvalid('glb', [findings.type])
  if (view.getUint32(8, true) !== bytes.length) throw avatarInvalid('glb', [findings.length])
}
