import { html, raw } from 'hono/html'

/** Where somebody signs in by one click, or does not. */
export function signInPage(query: Record<string, string>) {
  const go = (answer: string) => `/authorize?${new URLSearchParams({ ...query, answer })}`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sign in to Shoal</title><link rel="icon" href="data:,"></head>
<body>
<h1>Shoal</h1>
<p>This stands for an identity provider that can be told to misbehave.</p>
<p><a href="${go('yes')}">Sign in</a> <a href="${go('no')}">Cancel</a></p>
</body>
</html>`
}

/** The frame of the session check (OpenID Connect Session Management 1.0, section 3.2); the server has the answers. */
export const checkSessionPage = () => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Session of Shoal</title><link rel="icon" href="data:,"></head>
<body>
<script>
${raw(`addEventListener('message', async ({ data, source, origin }) => {
  const answer = await fetch('/session-answer?' + new URLSearchParams({ message: data }))
  source.postMessage(await answer.text(), origin)
})`)}
</script>
</body>
</html>`
