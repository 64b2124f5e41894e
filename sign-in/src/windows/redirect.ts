/** Where a window is sent. */
export interface Destination {
  url: string
  /** Is posted there, so that it is in no address; nothing is, unless told. */
  form?: Record<string, string> | undefined
}

/** Sends a window elsewhere; a page that sends itself goes on for the moment that this takes. */
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
