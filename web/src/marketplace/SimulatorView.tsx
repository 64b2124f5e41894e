import {
  type AwsSimulator,
  getAwsSimulator,
  playAwsSimulator,
  type SimulatedPurchase,
  type SimulatorAction,
} from '@passport/contract/aws-simulator'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { call, query, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Status } from '../ui/Status.tsx'
import { SimulatedEvents } from './SimulatedEvents.tsx'
import { SimulatedTrack } from './SimulatedTrack.tsx'
import { StatePath } from './StatePath.tsx'
import { SubscriptionViews } from './SubscriptionViews.tsx'
import type { Play } from './simulator-steps.ts'
import { formatAccount, isMetered, pricingModelNames } from './words.ts'

const simulator = query(getAwsSimulator, {})
/** The life of a purchase changes with events and jobs. */
const refreshMs = 2_000

/** A simulated AWS Marketplace, on which an administrator plays the life of a subscription and sees what follows. */
export function SimulatorView() {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const state = useQuery({ ...simulator, refetchInterval: refreshMs })
  const choose = (agreementId: string | null) =>
    void navigate({
      to: '.',
      search: { view: 'simulator', ...(agreementId && { purchase: agreementId }) } as never,
      resetScroll: false,
    })
  const action = useMutation({
    mutationFn: (body: { action: SimulatorAction }) => call(playAwsSimulator, { body: body as never }),
    onSuccess: (data, { action }) => {
      queryClient.setQueryData(simulator.queryKey, data)
      if (action === 'buy' || action === 'renew') choose(data.agreementId)
    },
    onError: (error) => reportFailure('play this', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  const play: Play = (name, input = {}) => action.mutate({ action: name, ...input })
  const purchases = state.data?.purchases ?? []
  const current = purchases.find(({ agreementId }) => agreementId === search['purchase']) ?? purchases[0]
  return (
    <section>
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <div>
          <h1>Subscriptions</h1>
          <p className="mt-1 text-ink2">Play the life of a subscription at a simulated AWS.</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {state.data?.isAvailable && (
            <Segmented
              label="New events"
              value={state.data.mode}
              options={[
                { value: 'automatic', label: 'Deliver events' },
                { value: 'held', label: 'Hold events' },
              ]}
              onChange={(mode) => play(mode === 'held' ? 'hold' : 'release')}
            />
          )}
          <PageMenu />
        </div>
      </header>
      <SubscriptionViews />
      <div className="mt-4">
        {state.error && !state.data ? (
          <ErrorCard failure={toFailure(state.error, 'load the simulator')} onRetry={() => void state.refetch()} />
        ) : (
          <Loaded query={state} label="Loading the simulator" rows={5}>
            {(data) =>
              data.isAvailable ? (
                <Simulator data={data} current={current} play={play} choose={choose} isBusy={action.isPending} />
              ) : (
                <Card title="Simulator">
                  <Empty kind="nothing yet" title="Connected to AWS itself">
                    The simulator needs a simulated AWS Marketplace, as <code>npm run world</code> starts.
                  </Empty>
                </Card>
              )
            }
          </Loaded>
        )}
      </div>
    </section>
  )
}

interface SimulatorProps {
  data: AwsSimulator
  current: SimulatedPurchase | undefined
  play: Play
  choose: (agreementId: string) => void
  isBusy: boolean
}

function Simulator({ data, current, play, choose, isBusy }: SimulatorProps) {
  return (
    <div className="cols">
      <div className="grid grid-cols-1 content-start gap-4">
        {current ? (
          <>
            <Life data={data} purchase={current} play={play} isBusy={isBusy} />
            <SimulatedEvents data={data} purchase={current} play={play} />
          </>
        ) : (
          <Card title="No purchases">
            <Empty kind="nothing yet" title="Nothing was bought yet">
              Buy a product as a customer would at AWS. Nothing is paid.
            </Empty>
          </Card>
        )}
      </div>
      <aside className="grid grid-cols-1 content-start gap-4">
        <Card title="Buy">
          <ul className="pb-1">
            {data.products.map((product) => (
              <li
                key={product.code}
                className="flex min-h-[46px] items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]"
              >
                <span className="min-w-0 flex-1 leading-snug">
                  <span className="block font-[580]">{product.name}</span>
                  <span className="text-[13px] text-ink3">
                    {product.trialDays ? `${product.trialDays} days free` : pricingModelNames[product.pricingModel]}
                  </span>
                </span>
                <Button
                  isSmall
                  aria-label={`Buy ${product.name}`}
                  onClick={() =>
                    play('buy', {
                      productCode: product.code,
                      isTrial: product.trialDays !== null,
                      quantities: Object.fromEntries(
                        product.dimensions
                          .filter(({ kind }) => kind !== 'metered')
                          .map(({ key, isFlag }) => [key, isFlag ? true : 10]),
                      ),
                    })
                  }
                >
                  Buy
                </Button>
              </li>
            ))}
          </ul>
        </Card>
        {data.purchases.length > 1 && (
          <Card title="Purchases">
            <ul className="pb-1">
              {data.purchases.map((purchase) => (
                <li key={purchase.agreementId} className="border-t border-hair first:border-0">
                  <button
                    type="button"
                    aria-current={purchase === current ? 'true' : undefined}
                    className="flex min-h-[46px] w-full items-center gap-3 px-4 py-2 text-left hover:bg-well aria-[current]:font-[600] sm:px-[18px]"
                    onClick={() => choose(purchase.agreementId)}
                  >
                    <span className="min-w-0 flex-1 truncate">{nameOf(data, purchase)}</span>
                    <span className="text-[13px] text-ink3">…{purchase.customerAwsAccountId.slice(-4)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </aside>
    </div>
  )
}

const nameOf = ({ products }: AwsSimulator, { productCode }: SimulatedPurchase) =>
  products.find(({ code }) => code === productCode)?.name ?? productCode

interface LifeProps {
  data: AwsSimulator
  purchase: SimulatedPurchase
  play: Play
  isBusy: boolean
}

/** The state of a purchase in Passport, what it gives, and what can happen next. */
function Life({ data, purchase, play, isBusy }: LifeProps) {
  const { agreementId, subscription, customerAwsAccountId, licenseKey } = purchase
  const product = data.products.find(({ code }) => code === purchase.productCode)
  const billed = data.billed.filter((record) => record.licenseKey === licenseKey)
  return (
    <Card
      title={product?.name ?? purchase.productCode}
      description={`AWS account ${formatAccount(customerAwsAccountId)}`}
      action={
        subscription ? (
          <Link
            to="/admin/awssubscriptions/$subscriptionId"
            params={{ subscriptionId: subscription.id }}
            className="link text-[13px]"
          >
            Open subscription
          </Link>
        ) : (
          <Status tone="waiting">Unknown to Passport</Status>
        )
      }
    >
      <div className="grid grid-cols-1 gap-5 px-4 pt-2 pb-4 sm:px-[18px]">
        <div className="[&>ol]:mb-0">
          <StatePath status={subscription?.status ?? 'pending'} />
        </div>
        <SimulatedTrack data={data} purchase={purchase} />
        <dl className="grid grid-cols-[repeat(auto-fit,minmax(130px,1fr))] gap-x-6 gap-y-3">
          <Fact name="At AWS">{describeStatus(purchase)}</Fact>
          <Fact name="Organisation">{subscription?.org?.name ?? 'None yet'}</Fact>
          {subscription?.entitlements.map(({ dimension, value }) => (
            <Fact key={dimension} name={dimension}>
              {typeof value === 'number' ? value.toLocaleString('en') : value ? 'Included' : 'None'}
            </Fact>
          ))}
          {product && isMetered(product.pricingModel) && (
            <Fact name="Billed by use">
              {billed.reduce((sum, { quantity }) => sum + quantity, 0).toLocaleString('en')}
            </Fact>
          )}
        </dl>
        <fieldset disabled={isBusy} className="flex flex-wrap gap-2">
          <legend className="sr-only">What happens next</legend>
          {listActions(purchase, product).map(({ action, label, input }) => (
            <Button key={label} isSmall onClick={() => play(action, { agreementId, ...input })}>
              {label}
            </Button>
          ))}
        </fieldset>
      </div>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-[13px] text-ink3 [overflow-wrap:anywhere]">{name}</dt>
    <dd className="font-[580] [overflow-wrap:anywhere]">{children}</dd>
  </div>
)

function describeStatus({ status, deprovisioned, isTrial }: SimulatedPurchase): string {
  if (deprovisioned) return 'Licence removed'
  if (status === 'ACTIVE') return isTrial ? 'Free trial' : 'Active'
  return status === 'CANCELLED' ? 'Cancelled, final hour' : 'Expired, final hour'
}

interface Option {
  action: SimulatorAction
  label: string
  input?: object
}

/** What can happen to a purchase in its state. */
function listActions(purchase: SimulatedPurchase, product: AwsSimulator['products'][number] | undefined): Option[] {
  const { status, deprovisioned, isTrial, quantities } = purchase
  const isContract = product?.pricingModel.startsWith('contract') ?? false
  const hasOrg = purchase.subscription?.org != null
  const canUse = product !== undefined && isMetered(product.pricingModel) && !deprovisioned && hasOrg
  const more = Object.fromEntries(
    Object.entries(quantities).map(([key, value]) => [key, typeof value === 'number' ? value + 10 : value]),
  )
  const usage: Option[] = canUse
    ? [
        { action: 'use', label: 'Use 5', input: { quantity: 5 } },
        { action: 'bill', label: 'Bill now' },
      ]
    : []
  if (status !== 'ACTIVE')
    return [...usage, ...(deprovisioned ? [] : [{ action: 'deprovision' as const, label: 'End the final hour' }])]
  const trial: Option[] = [
    { action: 'convert-trial', label: 'Buy after the trial' },
    { action: 'expire-trial', label: 'Let the trial end' },
  ]
  const term: Option[] = [
    ...(isContract ? [{ action: 'renew' as const, label: 'Renew' }] : []),
    { action: 'expire', label: 'Let it expire' },
  ]
  return [
    ...usage,
    ...(isContract ? [{ action: 'amend' as const, label: 'Buy 10 more', input: { quantities: more } }] : []),
    ...(isTrial ? trial : term),
    { action: 'cancel', label: 'Cancel' },
  ]
}
