import * as api from '@passport/contract/content'
import type { Feature } from '../feature.ts'
import { Representations, WithETag } from '../http/serve.ts'
import { publish, remove, restore, revert, saveDraft, validatorsOf } from './change.ts'
import { parseAcceptLanguage } from './choose-locale.ts'
import { renderFragment, toContentPage } from './pages.ts'
import * as problems from './problems.ts'
import { type RenderedContent, render } from './published.ts'
import type { ContentKey } from './store.ts'
import * as store from './store.ts'

/** The representations of published texts. */
const kept = new WeakMap<RenderedContent, Representations>()

function represent(content: RenderedContent) {
  const { title, body, locale } = content
  const asMarkdown = title ? `# ${title}\n\n${body}` : body
  return new Representations(locale, { 'text/markdown': asMarkdown, 'text/html': renderFragment(content) })
}

/** Texts of the administrators: drafts and versions for the console, published texts for everyone. */
export const content: Feature = ({ serve, page }, { sql, config, branding, contents }) => {
  serve(api.listContents, () => store.list(sql))

  serve(api.previewContent, async ({ body: { title, body } }) => {
    const { html, elements, links } = await render(body, config.publicUrl)
    return { html: renderFragment({ title, html }), droppedElements: elements, droppedLinks: links }
  })

  serve(api.getContent, async ({ params, query, preconditions }) => {
    const found = await read({ ...params, ...query })
    preconditions.check(found.validators)
    return found
  })

  serve(api.putContent, async ({ params, query, body, ...context }) => {
    const key = { ...params, ...query }
    await saveDraft(sql, key, body, context)
    return read(key)
  })

  serve(api.publishContent, async ({ params, query, body, ...context }) => {
    const key = { ...params, ...query }
    await publish(sql, key, body.version, context)
    await contents.refresh()
    return read(key)
  })

  serve(api.listContentVersions, async ({ params, query }) => {
    const key = { ...params, ...query }
    await find(key)
    return store.listVersions(sql, key)
  })

  serve(api.revertContent, async ({ params, query, body, ...context }) => {
    const key = { ...params, ...query }
    await revert(sql, key, body.version, context)
    return read(key)
  })

  serve(api.deleteContent, async ({ params, query, ...context }) => {
    await remove(sql, { ...params, ...query }, context)
    await contents.refresh()
  })

  serve(api.restoreContent, async ({ params, query, ...context }) => {
    const key = { ...params, ...query }
    await restore(sql, key, context)
    await contents.refresh()
    return read(key)
  })

  serve(api.readContent, async ({ params, query, headers }) => {
    const languages = query.locale ? [query.locale] : parseAcceptLanguage(headers['accept-language'])
    const found = await contents.find(params.slug, languages)
    if (!found) throw problems.contentNotFound()
    const representations = kept.get(found) ?? represent(found)
    kept.set(found, representations)
    return representations
  })

  for (const slug of api.contentPages) {
    page('GET', `/${slug}`, async ({ node }) => {
      const found = await contents.find(slug, parseAcceptLanguage(node.incoming.headers['accept-language']))
      return toContentPage(slug, found, branding.current())
    })
  }

  async function find(key: ContentKey) {
    const row = await store.find(sql, key)
    if (!row || row.deletedAt !== null) throw problems.contentNotFound()
    return row
  }

  async function read(key: ContentKey) {
    const row = await find(key)
    return new WithETag({ ...row, mediaType: 'text/markdown' as const }, validatorsOf(row))
  }
}
