// One file: together they are smaller than the list of their parts in the first load.
export { LandingErrorPage } from './LandingErrorPage.tsx'
export { OwnSubscriptionsPage } from './OwnSubscriptionsPage.tsx'
export { SetUpPage } from './SetUpPage.tsx'
