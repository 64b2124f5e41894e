import { getCurrentUser } from '@passport/contract/current-user'
import { useId } from 'react'
import { Card } from '../ui/Card.tsx'
import { CallPanel } from './CallPanel.tsx'
import { CopyAction } from './CopyAction.tsx'
import { createCurlSnippet, createEnvSnippet, type Snippet } from './snippets.ts'

/** Two snippets that use the token, and a call from this page. */
export function UseCard({ token, origin }: { token: string; origin: string }) {
  const url = origin + getCurrentUser.path
  return (
    <Card title="Use the token" description="The token is filled in when you copy.">
      <div className="grid gap-5 px-4 pb-[18px] sm:px-[18px]">
        <SnippetBlock title="cURL" snippet={createCurlSnippet(url, token)} />
        <SnippetBlock title=".env" snippet={createEnvSnippet(origin, token)} />
        <CallPanel token={token} url={url} />
      </div>
    </Card>
  )
}

function SnippetBlock({ title, snippet: { masked, text } }: { title: string; snippet: Snippet }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <header className="mb-1.5 flex items-center justify-between gap-3">
        <h3 id={id} className="font-[560]">
          {title}
        </h3>
        <CopyAction text={text} label={`Copy ${title}`} isSmall />
      </header>
      <pre className="rounded-ctl bg-well px-3 py-2.5 font-mono text-[12.5px] whitespace-pre-wrap [overflow-wrap:anywhere]">
        {masked}
      </pre>
    </section>
  )
}
