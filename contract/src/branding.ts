import * as z from 'zod/mini'
import { findAccentError } from './brand-values.ts'
import type { Theme } from './contrast.ts'
import { endpoint, form, json, storedFile } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { entity } from './request-body.ts'
import { OptionalLine } from './text-fields.ts'

export const maxBrandName = 64
/** The largest picture, before and after it is encoded again, in bytes. */
export const maxBrandPictureBytes = 256 * 1024

/** The name of the product or, for an organisation, the one that its users see. Empty resets it. */
const BrandName = OptionalLine(maxBrandName, 'brand-name-invalid')

/** The SHA-256 of a stored picture. */
const PictureHash = z.string().check(
  z.refine((hash) => /^[0-9a-f]{64}$/.test(hash), {
    error: 'Must be the hash of an uploaded picture.',
    params: { code: 'brand-picture-hash-invalid' satisfies FieldCode },
  }),
)

/** A colour that is readable as text on every background of a theme (WCAG 2.2, level AA). */
const AccentIn = (theme: Theme) =>
  z.string().check(
    z.overwrite((colour) => colour.toLowerCase()),
    z.refine((colour) => findAccentError(colour, theme) === undefined, {
      error: ({ input }) => findAccentError(String(input), theme),
      params: { code: 'accent-invalid' satisfies FieldCode },
    }),
  )

/** The accent colour of each theme, as `#rrggbb`. No colour is readable on both a light and a dark background. */
const Accent = z.object({ light: AccentIn('light'), dark: AccentIn('dark') })
export type Accent = z.infer<typeof Accent>

const maxUrl = 500

function isSupportUrl(text: string): boolean {
  const url = text.length <= maxUrl ? URL.parse(text) : null
  if (url?.protocol === 'mailto:') return /^mailto:[^\s@?&"<>]+@[^\s@?&"<>]+$/i.test(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Where users get help: a web page, or an email address as a mailto URL. */
const SupportUrl = z.string().check(
  z.trim(),
  z.refine((text) => isSupportUrl(text) && !/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]/u.test(text), {
    error: `Must be a web address such as https://help.example, or mailto: and an email address, of at most ${maxUrl} characters.`,
    params: { code: 'support-url-invalid' satisfies FieldCode },
  }),
)

/** The fields that an administrator edits. Null resets a field to the configuration or, without it, the default. */
export const brandingFields = {
  name: z.nullable(BrandName),
  /** The hash of an uploaded picture. */
  logo: z.nullable(PictureHash),
  favicon: z.nullable(PictureHash),
  accent: z.nullable(Accent),
  supportUrl: z.nullable(SupportUrl),
}
export const BrandingFields = z.object(brandingFields)
export type BrandingFields = z.infer<typeof BrandingFields>

export const orgBrandingFields = { name: brandingFields.name, logo: brandingFields.logo }
export const OrgBrandingFields = z.object(orgBrandingFields)
export type OrgBrandingFields = z.infer<typeof OrgBrandingFields>

const Author = z.nullable(z.object({ id: z.string(), name: z.string() }))
const versionFields = {
  /** The ETag, which every change increments; 0 before the first. */
  revision: z.int(),
  updatedAt: z.nullable(Instant),
  updatedBy: Author,
}

/** The branding of the installation. */
export const Branding = z
  .object({
    name: z.nullable(z.string()),
    logo: z.nullable(z.string()),
    favicon: z.nullable(z.string()),
    accent: z.nullable(z.object({ light: z.string(), dark: z.string() })),
    supportUrl: z.nullable(z.string()),
    /** The name without a saved one: that of the configuration, or the default. */
    defaultName: z.string(),
    ...versionFields,
  })
  .check(z.meta({ id: 'Branding' }))
export type Branding = z.infer<typeof Branding>

/** The branding of an organisation; null means that of the installation. */
export const OrgBranding = z
  .object({ name: z.nullable(z.string()), logo: z.nullable(z.string()), ...versionFields })
  .check(z.meta({ id: 'OrgBranding' }))
export type OrgBranding = z.infer<typeof OrgBranding>

/** A stored picture, as it is served. */
const BrandPicture = z.object({
  hash: z.string(),
  url: z.string(),
  width: z.int(),
  height: z.int(),
  /** The size in bytes. */
  size: z.int(),
})
export type BrandPicture = z.infer<typeof BrandPicture>

export const getBranding = endpoint('GET', '/passport/admin/branding', {
  summary: 'Get the branding of the installation',
  access: 'admin',
  returns: json(Branding),
  conditional: true,
})
export const putBranding = endpoint('PUT', '/passport/admin/branding', {
  summary: 'Replace the branding of the installation',
  description:
    'Users see it at once, through other servers within a minute. Null resets a field. An accent colour needs a contrast of 4.5:1 in its theme.',
  access: 'admin',
  body: entity(BrandingFields),
  returns: json(Branding),
  conditional: true,
})
export const uploadBrandPicture = endpoint('POST', '/passport/admin/branding/pictures', {
  summary: 'Upload a logo or a favicon',
  description:
    'A PNG of at most 256 KiB. It is encoded again, at most 512 pixels wide and high, and deleted after an hour unless a branding refers to it.',
  access: 'admin',
  rateLimit: { requests: 60, perSeconds: 60 * 60, by: 'caller' },
  body: form(z.object({ picture: z.file() }), {
    files: { picture: { types: ['image/png'], maxBytes: maxBrandPictureBytes } },
    maxBytes: maxBrandPictureBytes + 4096,
  }),
  returns: json(BrandPicture),
})

const orgParams = z.object({ orgId: z.string() })

export const getOrgBranding = endpoint('GET', '/passport/admin/orgs/{orgId}/branding', {
  summary: 'Get the branding of an organisation',
  access: 'admin',
  params: orgParams,
  returns: json(OrgBranding),
  conditional: true,
  fails: [404],
})
export const putOrgBranding = endpoint('PUT', '/passport/admin/orgs/{orgId}/branding', {
  summary: 'Replace the branding of an organisation',
  description:
    'Shown on sign-in, consent and emails once the domain of an email address, or the tenant, has named the organisation.',
  access: 'admin',
  params: orgParams,
  body: entity(OrgBrandingFields),
  returns: json(OrgBranding),
  conditional: true,
  fails: [404],
})

const immutable = { cacheControl: 'public, max-age=31536000, immutable', openToAllOrigins: true } as const

/** The file name has the SHA-256 of the file, so a URL never changes its content. */
export const getBrandStylesheet = endpoint('GET', '/passport/branding/{file}', {
  summary: 'Get a style sheet with accent colours',
  description: 'The file name is the SHA-256 of the style sheet with `.css`.',
  access: 'anyone',
  params: z.object({ file: z.string() }),
  returns: storedFile(['text/css']),
  ...immutable,
  fails: [404],
})
export const getBrandPicture = endpoint('GET', '/passport/media/branding/{file}', {
  summary: 'Get a logo or a favicon',
  description: 'The file name is the SHA-256 of the picture with `.png`.',
  access: 'anyone',
  params: z.object({ file: z.string() }),
  returns: storedFile(['image/png']),
  ...immutable,
  fails: [404],
})
