import { useEffect, useState } from 'react';
import { permissionHere, type Permission } from '../../notifications/PushData.ts';

/** Also as somebody changes it in the browser's settings. */
export function usePermission(): { permission: Permission; lookAgain: () => void } {
  const [permission, setPermission] = useState(permissionHere);
  const lookAgain = () => setPermission(permissionHere());
  useEffect(() => {
    let status: PermissionStatus | null = null;
    let isGone = false;
    const look = () => setPermission(permissionHere());
    navigator.permissions
      .query({ name: 'notifications' })
      .then((found) => {
        if (isGone) return;
        status = found;
        status.addEventListener('change', look);
      })
      // Where a browser does not tell, returning to the window does.
      .catch(() => undefined);
    window.addEventListener('focus', look);
    return () => {
      isGone = true;
      status?.removeEventListener('change', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  return { permission, lookAgain };
}
