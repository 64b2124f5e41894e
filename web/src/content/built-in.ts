import type { ContentFields, ContentSlug, ContentSummary } from '@passport/contract/content'
import { contentNames } from '@passport/contract/content-names'
import { brandName, homeText } from '../app/brand.ts'
import { nameLocale } from './languages.ts'

/** The line below the heading of the page. */
export const introduction = 'The texts that users see, in your words.'

/** What readers get in place of a text that is not written; without `text`, nothing. */
export interface BuiltIn {
  title?: string
  text?: string
  /** The fields that an editor can begin with. */
  start?: ContentFields
}

const contact = 'your support contact'

/** The built-in texts of the server and the home page. */
const builtInTexts: Partial<Record<ContentSlug, string>> = {
  'home.signedOut': homeText,
  terms: `The terms of ${brandName} are not published here. Ask ${contact} for them.`,
  privacy: `The privacy notice of ${brandName} is not published here. Ask ${contact} for it.`,
  support: `For help with ${brandName}, contact ${contact}.`,
}

/** Returns what readers with the language get without a text in it: the published text in English, or the built-in one. */
export function findBuiltIn(slug: ContentSlug, locale: string, inSlot: ContentSummary[]): BuiltIn {
  const english = inSlot.find((text) => text.locale === 'en' && text.publishedVersion !== null)
  if (english && locale !== 'en') return { text: `Readers get the text in ${nameLocale('en')}.` }
  const text = builtInTexts[slug]
  if (!text) return {}
  const title = slug.includes('.') ? undefined : contentNames[slug].name
  return { ...(title && { title }), text, start: { title: title ?? '', body: text } }
}
