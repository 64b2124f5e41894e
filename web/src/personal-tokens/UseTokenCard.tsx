import { getCurrentUser } from '@passport/contract/current-user'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'

/** How a program sends a token. */
export function UseTokenCard() {
  const command = `curl ${location.origin}${getCurrentUser.path} \\\n  -H "Authorization: Bearer $TOKEN"`
  return (
    <Card title="Use a token" action={<CopyButton text={command} label="Copy as cURL" />}>
      <div className="px-4 pb-4 sm:px-[18px]">
        <pre className="rounded-ctl bg-well px-3 py-2.5 font-mono text-[12.5px] whitespace-pre-wrap [overflow-wrap:anywhere]">
          {command}
        </pre>
        <p className="mt-3 text-[13px] text-ink2">
          <a href="/docs/personal-tokens" className="link">
            Guide to personal tokens
          </a>
        </p>
      </div>
    </Card>
  )
}
