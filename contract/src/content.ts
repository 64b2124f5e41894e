import * as z from 'zod/mini'
import { endpoint, json, negotiatedText } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { action, entity, withDefaults } from './request-body.ts'
import { OptionalLine } from './text-fields.ts'

/** The places that show a text of the administrators. Without a published text, each shows its built-in text, if any. */
export const contentSlugs = [
  'home.signedOut',
  'home.signedIn',
  'login.notice',
  'terms',
  'privacy',
  'support',
  'join.notice',
] as const
export type ContentSlug = (typeof contentSlugs)[number]

/** The slots with a page of their own, at `/{slug}`. */
export const contentPages = ['terms', 'privacy', 'support'] as const satisfies ContentSlug[]

/** The language of a text for readers whose languages have none. */
export const fallbackLocale = 'en'
export const maxContentTitle = 128
/** The largest text, in bytes of UTF-8. */
export const maxContentBytes = 64 * 1024
/** The most languages of a slot, also counting those in the trash. */
export const maxContentLocales = 50
/** The most versions of a text; the oldest are deleted. */
export const maxContentVersions = 50

const maxTag = 35

/** Returns a language tag in its canonical form (RFC 5646, section 4.5): `en-gb` becomes `en-GB`; undefined for others. */
export function canonicaliseLocale(tag: string): string | undefined {
  if (tag.length > maxTag) return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** A language tag (BCP 47), in its canonical form. */
export const Locale = z.string().check(
  z.refine((tag) => canonicaliseLocale(tag) !== undefined, {
    error: `Must be a language tag of at most ${maxTag} characters, such as en, de or pt-BR.`,
    params: { code: 'locale-invalid' satisfies FieldCode },
  }),
  z.overwrite((tag) => canonicaliseLocale(tag) ?? tag),
)

/** Characters that no text needs: controls, and those that reorder the text around them (UAX #9, explicit formatting). */
const forbidden = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

function findBodyError(body: string): string | undefined {
  if (body.length > maxContentBytes || new TextEncoder().encode(body).length > maxContentBytes)
    return `Must have at most ${maxContentBytes} bytes.`
  if (forbidden.test(body)) return 'Must not contain control characters or text direction marks.'
  return visible.test(body) ? undefined : 'Must not be empty.'
}

/** The text in Markdown, with line feeds only. */
const Body = z.string().check(
  z.overwrite((body) => body.replaceAll(/\r\n?/g, '\n')),
  z.refine((body) => findBodyError(body) === undefined, {
    error: ({ input }) => findBodyError(String(input)),
    params: { code: 'content-body-invalid' satisfies FieldCode },
  }),
)

/** The fields that an administrator edits. A text with an empty title shows only its body; a page then has its own title. */
const contentFields = {
  title: OptionalLine(maxContentTitle, 'content-title-invalid'),
  /** Markdown, without HTML, pictures or reference links. Links lead to http, https or mailto, to a heading (`#…`) or to a path of this server (`/…`). */
  body: Body,
}
export const ContentFields = z.object(contentFields)
export type ContentFields = z.infer<typeof ContentFields>

/** `draft` has never been published, `changed` has a draft besides the published version. */
const ContentStatus = z.enum(['draft', 'changed', 'published'])
export type ContentStatus = z.infer<typeof ContentStatus>

const Author = z.nullable(z.object({ id: z.string(), name: z.string() }))

const summaryFields = {
  slug: z.enum(contentSlugs),
  locale: z.string(),
  title: z.string(),
  /** The number of the draft or, without one, of the published version. A draft keeps its number while it is edited. */
  version: z.int(),
  publishedVersion: z.nullable(z.int()),
  status: ContentStatus,
  createdAt: Instant,
  updatedAt: Instant,
  /** Null if the command line changed it. */
  updatedBy: Author,
  /** The ETag, which every change increments. */
  revision: z.int(),
}

/** A text in one language, without its body. */
export const ContentSummary = z.object(summaryFields).check(z.meta({ id: 'ContentSummary' }))
export type ContentSummary = z.infer<typeof ContentSummary>

/** A text in one language: the draft or, without one, the published version. */
export const Content = z
  .object({ ...summaryFields, mediaType: z.literal('text/markdown'), body: z.string() })
  .check(z.meta({ id: 'Content' }))
export type Content = z.infer<typeof Content>

/** A published version of a text, or its draft. */
export const ContentVersion = z
  .object({
    version: z.int(),
    title: z.string(),
    body: z.string(),
    savedAt: Instant,
    savedBy: Author,
    /** When it was last published; null for the draft. */
    publishedAt: z.nullable(Instant),
    /** The version that readers see. */
    isPublished: z.boolean(),
  })
  .check(z.meta({ id: 'ContentVersion' }))
export type ContentVersion = z.infer<typeof ContentVersion>

const slugParams = z.object({ slug: z.enum(contentSlugs) })
const localeQuery = z.object({ locale: z._default(Locale, fallbackLocale) })
const one = { access: 'admin', params: slugParams, query: localeQuery, conditional: true } as const

export const listContents = endpoint('GET', '/passport/admin/content', {
  summary: 'List texts',
  description: 'Every text of every slot, without its body. A slot without a published text shows the built-in one.',
  access: 'admin',
  returns: json(z.array(ContentSummary)),
})
export const previewContent = endpoint('POST', '/passport/admin/content/preview', {
  summary: 'Render a text as HTML',
  description: 'By the code that renders published texts. Saves nothing.',
  access: 'admin',
  body: action(z.object(withDefaults(contentFields, { title: '' })), { maxBytes: 6 * maxContentBytes }),
  returns: json(
    z.object({
      html: z.string(),
      /** The names of HTML elements in the text, of which readers see only the text; at most 20. */
      droppedElements: z.array(z.string()),
      /** The destinations of links that readers see as they are written; at most 20, each cut to 100 characters. */
      droppedLinks: z.array(z.string()),
    }),
  ),
})
export const getContent = endpoint('GET', '/passport/admin/content/{slug}', {
  summary: 'Get a text',
  ...one,
  returns: json(Content),
  fails: [404],
})
export const putContent = endpoint('PUT', '/passport/admin/content/{slug}', {
  summary: 'Save the draft of a text',
  description:
    'Creates the text if the slot has none in this language. A draft equal to the published version is discarded.',
  ...one,
  // A character of the text may take six bytes in JSON.
  body: entity(ContentFields, { maxBytes: 6 * maxContentBytes }),
  returns: json(Content),
  fails: [409],
})
export const deleteContent = endpoint('DELETE', '/passport/admin/content/{slug}', {
  summary: 'Delete a text in one language',
  description: 'Also its published version. It can be restored for 30 days.',
  ...one,
  fails: [404],
})
export const restoreContent = endpoint('POST', '/passport/admin/content/{slug}/restore', {
  summary: 'Restore a deleted text',
  ...one,
  returns: json(Content),
  fails: [404],
})
export const publishContent = endpoint('POST', '/passport/admin/content/{slug}/publish', {
  summary: 'Publish the draft of a text',
  description: 'Readers see it at once, on other servers within a minute.',
  ...one,
  body: action(z.object({ version: z.int() })),
  returns: json(Content),
  fails: [404, 409],
})
export const listContentVersions = endpoint('GET', '/passport/admin/content/{slug}/history', {
  summary: 'List the versions of a text, newest first',
  access: 'admin',
  params: slugParams,
  query: localeQuery,
  returns: json(z.array(ContentVersion)),
  fails: [404],
})
export const revertContent = endpoint('POST', '/passport/admin/content/{slug}/revert', {
  summary: 'Replace the draft of a text with an earlier version',
  description: 'Reverting to the published version discards the draft.',
  ...one,
  body: action(z.object({ version: z.int() })),
  returns: json(Content),
  fails: [404],
})

/** The headers by which the language and the format are chosen (RFC 9110, section 12.5.5). */
const varyByLanguage = { Vary: 'Accept, Accept-Language' }

export const readContent = endpoint('GET', '/passport/content/{slug}', {
  summary: 'Read a published text',
  description:
    'In the best language for `locale` or, without it, `Accept-Language` (RFC 4647, section 3.4, with the likely subtags of Unicode: `zh-TW` reads `zh-Hant`), otherwise in English. Sanitised HTML for `Accept: text/html`, otherwise Markdown.',
  access: 'anyone',
  params: slugParams,
  query: z.object({ locale: z.optional(Locale) }),
  returns: negotiatedText(['text/markdown', 'text/html']),
  conditional: true,
  openToAllOrigins: true,
  headers: varyByLanguage,
  fails: [404],
})
