import { ApiError } from '@passport/contract/call'
import { addOrgDomain, deleteOrgDomain, type OrgDomain, verifyOrgDomain } from '@passport/contract/org-domains'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { DomainStatus } from '../directory/DomainStatus.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Field } from '../ui/Field.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { adminArea } from './org-area.ts'

export const OrgDomainsPage = () => <OrgFrame area={adminArea}>{({ org }) => <Domains org={org} />}</OrgFrame>

/** The domains of an organisation and their verification. */
function Domains({ org }: Pick<OrgTab, 'org'>) {
  return (
    <Card title="Domains" description="Users with an email on a verified domain are routed to this organisation.">
      {org.domains.length === 0 && (
        <Empty kind="nothing yet" title="No domains yet">
          Add a domain, then verify it with a DNS record.
        </Empty>
      )}
      <ul>
        {org.domains.map((domain) => (
          <DomainRow key={domain.domain} orgId={org.id} domain={domain} />
        ))}
      </ul>
      <AddDomain orgId={org.id} />
    </Card>
  )
}

function AddDomain({ orgId }: { orgId: string }) {
  const [domain, setDomain] = useState('')
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: () => call(addOrgDomain, { params: { orgId }, body: { domain } }),
    onSuccess: () => setDomain(''),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (domain.trim() !== '') add.mutate()
  }
  return (
    <form
      onSubmit={submit}
      className="flex flex-wrap items-start gap-2 border-t border-line px-4 pt-4 pb-[18px] sm:px-[18px]"
    >
      <div className="min-w-0 flex-1 basis-56">
        <Field
          label="Add domain"
          placeholder="contoso.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={domain}
          error={add.error ? formatError(add.error) : undefined}
          onChange={({ target }) => {
            setDomain(target.value)
            add.reset()
          }}
        />
      </div>
      <Button type="submit" className="mt-[26px]" isBusy={add.isPending} disabled={domain.trim() === ''}>
        Add
      </Button>
    </form>
  )
}

const formatError = (error: unknown) =>
  (error instanceof ApiError && error.problem?.errors?.[0]?.message) || toFailure(error).detail

function DomainRow({ orgId, domain }: { orgId: string; domain: OrgDomain }) {
  const [isConfirming, setConfirming] = useState(false)
  const queryClient = useQueryClient()
  const params = { orgId, domain: domain.domain }
  const refresh = () => void queryClient.invalidateQueries()
  const verify = useMutation({ mutationFn: () => call(verifyOrgDomain, { params }), onSettled: refresh })
  const remove = useMutation({
    mutationFn: () => call(deleteOrgDomain, { params }),
    onSuccess: () => reportSuccess(`${domain.domain} removed`),
    onError: (error) => reportFailure('remove the domain', error),
    onSettled: () => {
      setConfirming(false)
      refresh()
    },
  })
  const isVerified = domain.status === 'verified'
  const isFromMicrosoft = domain.source === 'microsoft'
  return (
    <li className="border-t border-line px-4 py-3.5 first:border-0 sm:px-[18px]">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-lg bg-well text-ink2">
          <Globe size={17} strokeWidth={1.75} />
        </span>
        <div className="min-w-0 flex-1 basis-56">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <h3 className="min-w-0 text-[15px] break-all">{domain.domain}</h3>
            <DomainStatus domain={domain} />
            {isFromMicrosoft && <Badge>From Microsoft</Badge>}
          </div>
          {domain.checkedAt && (
            <p className="text-[13px] text-ink3">
              Last checked <RelativeTime at={domain.checkedAt} inSentence />
            </p>
          )}
        </div>
        <div className="flex gap-2 max-sm:pl-11">
          {!isFromMicrosoft && (
            <Button
              isSmall
              variant={isVerified ? 'plain' : 'primary'}
              aria-label={isVerified ? `Check ${domain.domain} again` : `Verify ${domain.domain}`}
              isBusy={verify.isPending}
              onClick={() => verify.mutate()}
            >
              {isVerified ? 'Check again' : 'Verify'}
            </Button>
          )}
          <Button isSmall variant="danger" aria-label={`Remove ${domain.domain}`} onClick={() => setConfirming(true)}>
            Remove
          </Button>
        </div>
      </div>
      {!isFromMicrosoft && (!isVerified || domain.failingSince) && <DnsRecord {...domain} />}
      <div role="status">
        {verify.error && <VerificationFailure error={verify.error} />}
        {verify.isSuccess && <p className="mt-3 text-ok">Record found. {domain.domain} is verified.</p>}
      </div>
      <Confirm
        isOpen={isConfirming}
        title={`Remove ${domain.domain}?`}
        action="Remove domain"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setConfirming(false)}
      >
        {isFromMicrosoft ? 'The next consent adds it again.' : "To add it again, you'll need a new DNS record."}
      </Confirm>
    </li>
  )
}

function DnsRecord({ domain, dnsName, dnsValue }: OrgDomain) {
  return (
    <div className="mt-3 rounded-ctl border border-line bg-well p-3">
      <p className="mb-2 text-ink2">Add this record to the DNS of the domain:</p>
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)] sm:items-center">
        <dt className="text-[13px] text-ink2">Type</dt>
        <dd className="font-mono text-[12.5px]">TXT</dd>
        <CopyableField term="Name" text={dnsName} label={`Copy the record name for ${domain}`} />
        <CopyableField term="Value" text={dnsValue} label={`Copy the record value for ${domain}`} />
      </dl>
    </div>
  )
}

function CopyableField({ term, text, label }: { term: string; text: string; label: string }) {
  return (
    <>
      <dt className="text-[13px] text-ink2">{term}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 font-mono text-[12.5px] break-all">{text}</code>
        <CopyButton text={text} label={label} />
      </dd>
    </>
  )
}

/** The reason of a failed verification, and the records found instead. */
function VerificationFailure({ error }: { error: unknown }) {
  const found = error instanceof ApiError ? (error.body as { found?: unknown }).found : undefined
  const foundRecords = Array.isArray(found) ? found.map(String) : []
  return (
    <div className="mt-3 text-bad">
      <p>{toFailure(error).detail}</p>
      {foundRecords.length > 0 && (
        <>
          <p className="mt-1 text-ink2">Found instead:</p>
          <ul className="mt-1 grid gap-1">
            {foundRecords.map((text) => (
              <li key={text}>
                <code className="font-mono text-[12.5px] break-all text-ink2">{text}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
