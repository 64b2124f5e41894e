/** The part of the library that the server uses; it has no types. */
declare module 'gltf-validator' {
  export interface Report {
    issues: { messages: { code: string; message: string; severity: number; pointer?: string }[] }
    info?: { resources?: { pointer: string; image?: { width: number; height: number } }[] }
  }
  export function validateBytes(
    data: Uint8Array,
    options: { format: 'glb'; maxIssues: number; externalResourceFunction: (uri: string) => Promise<Uint8Array> },
  ): Promise<Report>
}
