/** The destination of a navigation. */
export interface Destination {
  url: string
  /** Fields to POST, which keeps them out of URLs; without them, a GET. */
  form?: Record<string, string> | undefined
}

/** Navigates a window; a page that navigates itself keeps running for a moment. */
export function navigate(target: Window, { url, form }: Destination, isReplacing = false): void {
  if (form) post(target.document, url, form)
  else if (isReplacing) target.location.replace(url)
  else target.location.assign(url)
}

function post(page: Document, url: string, fields: Record<string, string>): void {
  const form = page.createElement('form')
  form.method = 'post'
  form.action = url
  for (const [name, value] of Object.entries(fields)) {
    const field = page.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    form.append(field)
  }
  page.body.append(form)
  form.submit()
}
