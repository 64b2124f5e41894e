import type { EntraSettings } from '@passport/contract/entra'
import type { Org } from '@passport/contract/orgs'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { toFailure } from '../app/api.ts'
import { nameReason } from '../directory/failure-reasons.ts'
import { SetupLinks } from '../setup/SetupLinks.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { ConsentLink } from './ConsentLink.tsx'
import { explainFailure } from './consent-link.ts'
import { DomainList } from './DomainList.tsx'
import { CodeFact, Fact, Facts } from './Facts.tsx'
import { settingsOf, useSaveSettings } from './GroupsStep.tsx'
import { GuestCheck, MappingEditor, MappingList } from './MappingEditor.tsx'
import { emptyEntry, isEmptyEntry } from './mappings.ts'
import { SignInCard } from './SignInCard.tsx'
import { describeConsent, nameCloud } from './tenant.ts'
import { type EntraOrg, isEntraOrg } from './wizard.ts'

/** The tenant of an organisation: consent, sign-in, domains, groups and roles. */
export function OrgTenant({ org }: { org: Org }) {
  return isEntraOrg(org) ? <Tenant org={org} /> : <NoTenant />
}

const NoTenant = () => (
  <Card title="Microsoft Entra">
    <Empty kind="nothing yet" title="No tenant">
      An organisation with a tenant is created from it.{' '}
      <Link to="/admin/orgs/createentra" className="link">
        Create Entra organisation
      </Link>
    </Empty>
  </Card>
)

function Tenant({ org }: { org: EntraOrg }) {
  return (
    <>
      <ConsentCard org={org} />
      <SignInCard org={org} />
      <SetupLinks org={org} isAdmin />
      <SettingsCard key={org.id} org={org} />
      <Card
        title="Domains"
        action={
          <Link to="/admin/orgs/$orgId/domains" params={{ orgId: org.id }} className="link text-[13px]">
            Manage domains
          </Link>
        }
      >
        <DomainList org={org} />
      </Card>
    </>
  )
}

/** What identifies the tenant, its consent, and a new consent link. */
function ConsentCard({ org }: { org: EntraOrg }) {
  const { entra } = org
  const [isLinkShown, showLink] = useState(false)
  const isGranted = entra.consent === 'granted'
  return (
    <Card
      title="Tenant"
      action={
        isGranted ? (
          <Button isSmall onClick={() => showLink(!isLinkShown)} aria-expanded={isLinkShown}>
            New consent link
          </Button>
        ) : (
          <ContinueLink org={org} />
        )
      }
    >
      <div className="grid gap-4 px-4 pb-4 sm:px-[18px]">
        <Facts>
          <Fact term="Name">{entra.displayName}</Fact>
          <CodeFact term="Tenant ID" text={entra.tenantId} />
          <Fact term="Cloud">{nameCloud(entra.cloud)}</Fact>
          <Fact term="Consent">
            <ConsentStatus entra={entra} />
          </Fact>
        </Facts>
        {entra.consentFailure && (
          <p className="text-bad">{explainFailure(entra.consentFailure.code, entra.consentFailure.permission)}</p>
        )}
        {isGranted && isLinkShown && <ConsentLink org={org} />}
      </div>
    </Card>
  )
}

function ConsentStatus({ entra: { consent, consentedAt } }: Pick<EntraOrg, 'entra'>) {
  const [tone, label] = describeConsent(consent)
  return (
    <Status tone={tone}>
      <span>
        {label} {consentedAt && <RelativeTime at={consentedAt} inSentence />}
      </span>
    </Status>
  )
}

export const ContinueLink = ({ org }: { org: EntraOrg }) => (
  <Link
    to="/admin/orgs/createentra"
    search={{ org: org.id } as never}
    className={buttonClass(org.entra.signInEnabled ? 'plain' : 'primary', true)}
  >
    Continue set-up
  </Link>
)

/** Mappings and guests: read first, edited on request. */
function SettingsCard({ org }: { org: EntraOrg }) {
  const { entra } = org
  const [draft, setDraft] = useState<{ settings: EntraSettings; opened: EntraOrg }>()
  const { save, isSaving, error, dialog } = useSaveSettings()
  const [entry, setEntry] = useState(emptyEntry)
  const [isEntryLeft, setEntryLeft] = useState(false)
  const edit = (settings: EntraSettings) => setDraft(draft && { ...draft, settings })
  async function submit() {
    if (!isEmptyEntry(entry)) return setEntryLeft(true)
    if (draft && (await save(draft.opened, draft.settings))) setDraft(undefined)
  }
  const cancel = () => {
    setDraft(undefined)
    setEntry(emptyEntry)
  }
  return (
    <Card
      title="Groups and roles"
      description="What users get when they sign in, by their groups and app roles."
      action={
        !draft && (
          <Button isSmall onClick={() => setDraft({ settings: settingsOf(entra), opened: org })}>
            Edit mappings
          </Button>
        )
      }
    >
      {draft ? (
        <>
          <MappingEditor
            mappings={draft.settings.mappings}
            error={error}
            entry={entry}
            isEntryLeft={isEntryLeft}
            onEntryChange={(entry) => {
              setEntryLeft(false)
              setEntry(entry)
            }}
            onChange={(mappings) => edit({ ...draft.settings, mappings })}
          />
          <div className="border-t border-line pt-3">
            <GuestCheck
              isOn={draft.settings.allowGuests}
              onChange={(allowGuests) => edit({ ...draft.settings, allowGuests })}
            />
          </div>
          {error && <ErrorCard failure={toFailure(error, 'save the mappings')} />}
          <div className="flex justify-end gap-2 border-t border-line px-4 py-3 sm:px-[18px]">
            <Button onClick={cancel}>Cancel</Button>
            <Button variant="primary" isBusy={isSaving} onClick={() => void submit()}>
              Save
            </Button>
          </div>
        </>
      ) : (
        <>
          <MappingList mappings={entra.mappings} />
          <p className="border-t border-hair px-4 py-3 sm:px-[18px]">
            {entra.allowGuests ? 'Guests of the tenant may sign in.' : 'Guests of the tenant may not sign in.'}
          </p>
        </>
      )}
      {dialog}
    </Card>
  )
}

interface ResultSearch {
  consent?: unknown
  test?: unknown
  /** Why the email address of the tested user proves nothing. */
  address?: unknown
  code?: unknown
  /** The support code of a failure. */
  support?: unknown
}

/** The tenant on the overview: its state, the result of a consent or a test that just ended, and what to do next. */
export function TenantOverview({ org }: { org: Org }) {
  return isEntraOrg(org) && <Overview org={org} />
}

function Overview({ org }: { org: EntraOrg }) {
  const { entra } = org
  const result: ResultSearch = useSearch({ strict: false })
  const isSetUp = entra.signInEnabled
  return (
    <Card title="Microsoft Entra" action={isSetUp ? undefined : <ContinueLink org={org} />}>
      <div className="grid gap-4 px-4 pb-4 sm:px-[18px]">
        <Result {...result} org={org} />
        <Facts>
          <Fact term="Tenant">{entra.defaultDomain ?? entra.displayName}</Fact>
          <Fact term="Consent">
            <ConsentStatus entra={entra} />
          </Fact>
          <Fact term="Sign-in">
            <Status tone={isSetUp ? 'ok' : 'off'}>{isSetUp ? 'Enabled' : 'Disabled'}</Status>
          </Fact>
        </Facts>
      </div>
    </Card>
  )
}

const addressWarnings: Record<string, string> = {
  unverified:
    "The user's email address is at no verified domain of this organisation. It stays unverified, and opens no invitation and no join link that is limited to a domain.",
  missing:
    'Microsoft sent no email address. Add the optional claim email to the ID token of the application at Microsoft.',
}

function Result({ consent, test, address, code, support, org }: ResultSearch & { org: EntraOrg }) {
  const permission = org.entra.consentFailure?.permission
  const text = typeof code === 'string' ? code : ''
  const supportLine = typeof support === 'string' && (
    <>
      {' '}
      Support code <code className="font-mono">{support}</code>
    </>
  )
  if (consent === 'granted')
    return (
      <p role="status" className="text-ok">
        Consent granted.
      </p>
    )
  if (consent === 'failed')
    return (
      <p role="alert" className="text-bad">
        {explainFailure(text, permission)}
        {supportLine}
      </p>
    )
  if (test === 'passed')
    return (
      <div role="status">
        <p className="text-ok">The test sign-in succeeded.</p>
        {typeof address === 'string' && addressWarnings[address] && (
          <p className="mt-1 text-warn">{addressWarnings[address]}</p>
        )}
      </div>
    )
  if (test === 'failed')
    return (
      <p role="alert" className="text-bad">
        The test sign-in failed: {nameReason(text)}.{supportLine}
      </p>
    )
  return null
}
