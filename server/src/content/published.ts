import { type ContentSlug, fallbackLocale } from '@passport/contract/content'
import { createLiveValue } from '../database/live-value.ts'
import { createNotifiedCache } from '../database/notified-cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { chooseLocale, parseAcceptLanguage } from './choose-locale.ts'
import type { Rendered } from './render.ts'
import type { PublishedContent } from './store.ts'
import * as store from './store.ts'

/** A published text with its HTML. */
export interface RenderedContent extends PublishedContent {
  html: string
}

/** The published texts, cached: sign-in pages read them, and they seldom change. */
export interface Contents {
  /** The slots with a published text, as of the last refresh. */
  slugs: () => ReadonlySet<ContentSlug>
  /**
   * Returns the published text of a slot in the best of the languages or, without one, in English; undefined if neither
   * is published.
   */
  find: (slug: ContentSlug, languages: string[]) => Promise<RenderedContent | undefined>
  /** Like `find`, for a page that does not depend on the text: returns undefined after a failure, and logs it. */
  findNotice: (slug: ContentSlug, acceptLanguage: string | undefined) => Promise<RenderedContent | undefined>
  /** Reads the texts again, so that the next request of this process sees a change. */
  refresh: () => Promise<void>
}

/** Texts of 64 KiB, with HTML of a few times that size. */
const maxCached = 64

/** Caches published texts in memory until the database notifies of a change by any process, and for at most a minute. `origin` is that of links to a path. */
export async function cacheContents(sql: Sql, log: Log, origin: string): Promise<Contents> {
  const renderOnce = keepRendered(origin)
  const { read, clear } = await createNotifiedCache(sql, log, 'contents', maxCached)
  const listPublished = () => read('published', () => store.listPublished(sql))
  const { current: slugs, refresh: readSlugs } = await createLiveValue(sql, log, 'contents', async () => {
    clear()
    return new Set((await listPublished()).map(({ slug }) => slug)) as ReadonlySet<ContentSlug>
  })

  const find = async (slug: ContentSlug, languages: string[]) => {
    const locales = (await listPublished()).filter((content) => content.slug === slug).map(({ locale }) => locale)
    const locale = chooseLocale([...languages, fallbackLocale], locales)
    return locale === undefined
      ? undefined
      : read(`${slug}/${locale}`, async () => {
          const content = await store.findPublished(sql, { slug, locale })
          return content && renderOnce(content)
        })
  }

  async function findNotice(slug: ContentSlug, acceptLanguage: string | undefined) {
    if (!slugs().has(slug)) return undefined
    try {
      return await find(slug, parseAcceptLanguage(acceptLanguage))
    } catch (err) {
      log.warn({ err, slug }, 'content-not-read')
      return undefined
    }
  }

  return { slugs, find, findNotice, refresh: readSlugs }
}

/** The characters of HTML that are kept for texts which are read again: a hundred long texts. */
const maxKept = 16 * 1024 * 1024

/**
 * Creates a function that renders a text unless its last rendering is still right: anyone may read it, and to render a
 * long one takes a hundred times as long as to send it. It returns the same object for the same text.
 */
function keepRendered(origin: string) {
  const kept = new Map<string, RenderedContent>()
  let length = 0
  const forget = (key: string) => {
    length -= kept.get(key)?.html.length ?? 0
    kept.delete(key)
  }
  return async (content: PublishedContent): Promise<RenderedContent> => {
    const key = `${content.slug}/${content.locale}`
    const former = kept.get(key)
    if (former && isSame(former, content)) return former
    const rendered = { ...content, html: (await render(content.body, origin)).html }
    forget(key)
    kept.set(key, rendered)
    length += rendered.html.length
    for (const oldest of kept.keys()) if (length > maxKept) forget(oldest)
    return rendered
  }
}

const isSame = (a: PublishedContent, b: PublishedContent) =>
  a.version === b.version && a.title === b.title && a.body === b.body

/** Renders Markdown. Loads the renderer at the first call, because most processes need none. */
export async function render(body: string, origin: string): Promise<Rendered> {
  const { renderContent } = await import('./render.ts')
  return renderContent(body, origin)
}
