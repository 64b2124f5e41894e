import { html, raw } from 'hono/html'

/** Renders a page to sign in with one click, or to cancel. */
export function renderSignInPage(query: Record<string, string>) {
  const linkFor = (answer: string) => `/authorize?${new URLSearchParams({ ...query, answer })}`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sign in to Shoal</title><link rel="icon" href="data:,"></head>
<body>
<h1>Shoal</h1>
<p>This simulates an identity provider that can misbehave.</p>
<p><a href="${linkFor('yes')}">Sign in</a> <a href="${linkFor('no')}">Cancel</a></p>
</body>
</html>`
}

/**
 * The frame of the session check (OpenID Connect Session Management 1.0, section 3.2); it fetches its answers from the
 * server.
 */
export const renderCheckSessionPage = () => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Session of Shoal</title><link rel="icon" href="data:,"></head>
<body>
<script>
${raw(`addEventListener('message', async ({ data, source, origin }) => {
  const answer = await fetch('/session-result?' + new URLSearchParams({ message: data }))
  source.postMessage(await answer.text(), origin)
})`)}
</script>
</body>
</html>`
