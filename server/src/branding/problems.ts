import { problem } from '../http/problem.ts'

export const pictureInvalid = problem(400, 'brand-picture-invalid', {
  meaning: 'The file is not a picture that a branding can have.',
  remedy: 'Send a PNG file of at most 256 KiB.',
  details: (field: string, finding: { code: string; message: string }) => ({
    detail: finding.message,
    errors: [{ field, ...finding }],
  }),
})

const unknown = 'Upload the picture first.'
export const pictureUnknown = problem(400, 'brand-picture-unknown', {
  meaning: 'A branding names a picture that is not stored.',
  remedy: 'Upload the picture, and save the branding within an hour.',
  details: (field: string) => ({
    detail: unknown,
    errors: [{ field, code: 'brand-picture-unknown', message: unknown }],
  }),
})
