import { type AwsProduct, type AwsProductValidation, validateAwsProduct } from '@passport/contract/aws-products'
import { useMutation } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { call, toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Status } from '../ui/Status.tsx'

/** What to enter at AWS, and a check of what AWS knows. */
export function ConnectionCard({ product: { id, urls } }: { product: AwsProduct }) {
  const validate = useMutation({ mutationFn: () => call(validateAwsProduct, { params: { productId: id } }) })
  return (
    <Card
      title="Connection with AWS"
      action={
        <Button isSmall isBusy={validate.isPending} onClick={() => validate.mutate()}>
          Validate
        </Button>
      }
    >
      <div className="grid gap-3 px-4 pb-[18px] sm:px-[18px]">
        {!urls.isHttps && (
          <p className="flex gap-2.5 rounded-ctl border border-line border-l-3 border-l-warn px-3.5 py-2.5">
            <TriangleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-warn" />
            <span>
              AWS only calls https addresses. Set <code className="font-mono text-[13px]">PUBLIC_URL</code> to one.
            </span>
          </p>
        )}
        <dl className="grid gap-3">
          <Address label="Fulfilment URL" text={urls.fulfilment} hint="In your listing, where buyers continue." />
          <Address label="Events URL" text={urls.events} hint="The API destination of your EventBridge rule." />
        </dl>
        {validate.error && <ErrorCard failure={toFailure(validate.error, 'validate the product')} />}
        {validate.data && <Validation validation={validate.data} />}
      </div>
    </Card>
  )
}

function Address({ label, text, hint }: { label: string; text: string; hint: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-[13px]">
        <span className="font-[560]">{label}</span> <span className="text-ink3 max-sm:block">{hint}</span>
      </dt>
      <dd className="mt-1 flex items-center gap-1 rounded-ctl bg-well pr-1 pl-2.5">
        <code className="min-w-0 flex-1 truncate font-mono text-[12.5px]" title={text}>
          {text}
        </code>
        <CopyButton text={text} label={`Copy ${label}`} />
      </dd>
    </div>
  )
}

/** What each result means, and what to do about it. */
const results: Record<AwsProductValidation['result'], [title: string, advice: string]> = {
  ok: ['AWS knows the product', 'Credentials and product code are right.'],
  'access-denied': [
    'AWS refused access',
    'The credentials must be those of the seller account that published the product, with aws-marketplace:GetEntitlements allowed.',
  ],
  'invalid-product-code': ['AWS does not know the product code', 'Compare it with your listing.'],
  'not-configured': ['The server has no AWS credentials', 'The guide says how to configure them.'],
  unavailable: ['AWS did not answer', 'Try again in a minute.'],
}
const words = {
  ok: { tone: 'ok', label: 'Valid' },
  invalid: { tone: 'bad', label: 'Invalid' },
  unknown: { tone: 'off', label: 'Not checked' },
} as const

function Validation({ validation }: { validation: AwsProductValidation }) {
  const { result, credentials, productCode, awsError } = validation
  const [title, advice] = results[result]
  const checks = [
    ['Credentials', words[credentials]],
    ['Product code', words[productCode]],
    // AWS checks them only in usage, which it bills.
    ['Dimensions', { tone: 'off', label: 'Cannot be checked' }],
  ] as const
  const isOk = result === 'ok'
  return (
    <div
      role="status"
      className={`rounded-ctl border border-line border-l-3 px-3.5 py-3 ${isOk ? 'border-l-ok' : 'border-l-bad'}`}
    >
      <p className="font-[620]">{title}</p>
      <p className="text-ink2">
        {advice}
        {awsError && (
          <>
            {' '}
            AWS said <code className="font-mono text-[13px]">{awsError}</code>.
          </>
        )}
      </p>
      <dl className="mt-2.5 flex flex-wrap gap-x-8 gap-y-1.5 text-[13px]">
        {checks.map(([term, { tone, label }]) => (
          <div key={term} className="flex gap-2.5">
            <dt className="text-ink3">{term}</dt>
            <dd>
              <Status tone={tone}>{label}</Status>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
