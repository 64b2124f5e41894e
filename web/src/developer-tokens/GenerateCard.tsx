import type { Ref } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'

interface GenerateCardProps {
  /** The requested scope: names separated by spaces. */
  scope: string
  isBusy: boolean
  onGenerate: () => void
  buttonRef: Ref<HTMLButtonElement>
}

const list = new Intl.ListFormat('en-GB')

/** Requests a token: redirects to a sign-in and the consent page, which return to this page. */
export function GenerateCard({ scope, isBusy, onGenerate, buttonRef }: GenerateCardProps) {
  return (
    <Card title="Generate a Token">
      <div className="px-4 pb-[18px] sm:px-[18px]">
        <p className="text-ink2">
          The token is generated with scopes{' '}
          {list.formatToParts(scope.split(' ')).map(({ type, value }) =>
            type === 'element' ? (
              <code key={value} className="rounded border border-line bg-well px-1 font-mono text-[12.5px] text-ink">
                {value}
              </code>
            ) : (
              value
            ),
          )}
          . Clicking Generate redirects to a consent page. The token is provided after you click Allow.
        </p>
        <Button ref={buttonRef} variant="primary" className="mt-4" isBusy={isBusy} onClick={onGenerate}>
          Generate Token
        </Button>
      </div>
    </Card>
  )
}
