import { readContent } from '@passport/contract/content'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RichText } from './RichText.tsx'

const classes = {
  'home.signedOut': 'text-[15px] text-ink2',
  'home.signedIn': 'card mb-4 px-4 py-3.5 sm:px-[18px]',
}

/** The published text of a slot in the language of the browser; nothing after a failure. Suspends until it is loaded. */
export function PublishedText({ slug }: { slug: keyof typeof classes }) {
  const queryKey = [readContent.path, slug]
  const html = queryClient.getQueryData<string>(queryKey)
  if (html === undefined) throw queryClient.ensureQueryData({ queryKey, queryFn: () => loadText(slug) })
  return html === '' ? null : (
    <div className={classes[slug]}>
      <RichText html={html} />
    </div>
  )
}

async function loadText(slug: keyof typeof classes): Promise<string> {
  try {
    return await call(readContent, { params: { slug }, query: {} }, { send: sendForHtml })
  } catch {
    return ''
  }
}

function sendForHtml(request: Request): Promise<Response> {
  request.headers.set('accept', 'text/html')
  return fetch(request)
}
