// Runs before anything is painted, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem('passport.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is forbidden: the system decides.
}
