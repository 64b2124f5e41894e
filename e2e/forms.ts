import { type APIRequestContext, type APIResponse, expect } from '@playwright/test'

/** Loads a page over HTTP and submits its form with these values and the cookies of the context. */
export async function submitForm(
  request: APIRequestContext,
  path: string,
  values: Record<string, string>,
): Promise<APIResponse> {
  const page = await request.get(path)
  const html = await page.text()
  const [, action] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  if (!action) throw new Error(`${page.url()} has no form: ${html}`)
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const form = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
  const { origin, href } = new URL(action, page.url())
  const response = await request.post(href, { form: { ...form, ...values }, headers: { origin } })
  expect(response.status(), `${response.url()}: ${await response.text()}`).toBe(200)
  return response
}
