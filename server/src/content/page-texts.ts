import type { ContentSlug } from '@passport/contract/content'
import type { Services } from '../feature.ts'
import type { Html, PageRequest } from '../http/page.ts'
import { renderNotice, renderPageLinks } from './pages.ts'

/** Texts of the administrators on a page of the server. */
export interface PageTexts {
  /** The notice of the page. */
  notice: Html | ''
  /** Links to the published terms, privacy notice and support page. */
  links: Html | ''
}

/** Reads the texts of a page in the languages of the request. Without published texts, it needs no database. */
export async function readPageTexts(
  { contents, branding }: Pick<Services, 'contents' | 'branding'>,
  slug: ContentSlug,
  { node }: Pick<PageRequest, 'node'>,
): Promise<PageTexts> {
  const content = await contents.findNotice(slug, node.incoming.headers['accept-language'])
  return { notice: content ? renderNotice(content) : '', links: renderPageLinks(contents.slugs(), branding.current()) }
}
