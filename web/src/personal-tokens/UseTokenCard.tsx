import { getCurrentUser } from '@passport/contract/current-user'
import { Card } from '../ui/Card.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'

/** How a program sends a token. */
export function UseTokenCard() {
  const command = `curl -H "Authorization: Bearer $TOKEN" \\\n  ${location.origin}${getCurrentUser.path}`
  return (
    <Card title="Use a token">
      <div className="px-4 pb-4 sm:px-[18px]">
        <CodeBlock label="as cURL" text={command} />
        <p className="mt-3 text-[13px] text-ink2">
          <a href="/docs/personal-tokens" className="link">
            Guide to personal tokens
          </a>
        </p>
      </div>
    </Card>
  )
}
