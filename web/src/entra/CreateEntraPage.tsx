import { getOrg, type Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { ConsentStep } from './ConsentStep.tsx'
import { GroupsStep } from './GroupsStep.tsx'
import { ReviewStep } from './ReviewStep.tsx'
import { CreatedTenantStep, TenantStep } from './TenantStep.tsx'
import { WizardFrame } from './WizardFrame.tsx'
import { type EntraOrg, findShownStep, isEntraOrg, parseWizardSearch, type WizardStep } from './wizard.ts'

/** Creates an organisation from a tenant of Microsoft Entra, in four steps. The step and the organisation are in the URL. */
export function CreateEntraPage() {
  const { org } = parseWizardSearch(useSearch({ strict: false }))
  return org ? <ContinueSetUp orgId={org} /> : <NewOrg />
}

function NewOrg() {
  return (
    <WizardFrame step="tenant" lead="Connect a customer's Microsoft Entra tenant, so that its users sign in there.">
      <TenantStep />
    </WizardFrame>
  )
}

/** The steps of an organisation that exists already, from the one that is due. */
function ContinueSetUp({ orgId }: { orgId: string }) {
  const org = useQuery(query(getOrg, { params: { orgId } }))
  return (
    <RecordQuery query={org} kind="organisation" back={{ to: '/admin/orgs', label: 'Organisations' }}>
      {(org) => (isEntraOrg(org) ? <Steps org={org} /> : <NoTenant org={org} />)}
    </RecordQuery>
  )
}

const NoTenant = ({ org }: { org: Org }) => (
  <WizardFrame
    step="tenant"
    lead={`${org.name} has no Microsoft Entra tenant. Create an organisation for each tenant.`}
  >
    <p>
      <Link to="/admin/orgs/createentra" className={buttonClass('primary')}>
        Create Entra organisation
      </Link>
    </p>
  </WizardFrame>
)

function Steps({ org }: { org: EntraOrg }) {
  const search = parseWizardSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const step = findShownStep(search.step, org.entra)
  const go = (step: WizardStep, options: { replace?: true } = {}) =>
    void navigate({ to: '/admin/orgs/createentra', search: { org: org.id, step } as never, ...options })
  const Step = { tenant: CreatedTenantStep, consent: ConsentStep, groups: GroupsStep, review: ReviewStep }[step]
  return (
    <WizardFrame
      step={step}
      org={org}
      lead={`Connect ${org.entra.displayName}'s Microsoft Entra tenant, so that its users sign in there.`}
    >
      <Step org={org} onGo={go} />
    </WizardFrame>
  )
}
