import { html } from 'hono/html'

/** Renders a page of a simulated external service, in a style unlike Passport's. `head` adds page-specific elements. */
export const renderPage = (title: string, body: unknown, head: unknown = '') => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title}</title>
<link rel="icon" href="data:,">
<style>
body { font: 16px/1.5 system-ui, sans-serif; background: #f4efe6; color: #2d2417; margin: 0; padding: 4vh 16px }
main { max-width: 720px; margin: 0 auto } article, form { background: #fff; border-radius: 4px; padding: 16px 24px; margin: 16px 0 }
h2 { font-size: 18px; margin: 0 } .from { color: #6b5d47; margin: 0 0 12px } pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere }
label { display: block; margin: 8px 0 } input { font: inherit; display: block; width: 100%; box-sizing: border-box; padding: 6px 8px; border: 1px solid #8d8069; border-radius: 4px }
button { font: inherit; padding: 6px 14px; border: 1px solid #2d2417; border-radius: 4px; background: none; cursor: pointer }
code { overflow-wrap: anywhere }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`
