/** Reports whether a file starts like a GLB file of version 2 (glTF 2.0, section 4.4.2). The server checks the rest. */
export function isGlb(bytes: ArrayBuffer): boolean {
  const header = new DataView(bytes)
  return bytes.byteLength >= 12 && header.getUint32(0, true) === 0x46546c67 && header.getUint32(4, true) === 2
}

/** Formats the size of a file: `640 kB`, `4.2 MB`. */
export const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
