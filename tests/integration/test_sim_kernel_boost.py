# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own epp_boost: used, switched off while eppd boosts, toggled by others, gone."""

from boost_case import KERNEL_BOOST
from sim_load_case import BASE, BOOST, SimLoadCase

USER = '[Boost]\nBackend=user\n'


class KernelBoost(SimLoadCase):

    sim_args = ('--cpus', '4', '--epp-boost')

    def start_with(self, value, config=''):
        self.make_tree()
        self.write(KERNEL_BOOST, value)
        self.start_loaded(config=config)

    def parameter_writes(self):
        return [write.text for write in self.sim.writes('*/epp_boost', pid=self.daemon.pid)]

    def test_it_does_it_where_it_means_the_same(self):
        self.start_with('N')
        cookie = self.hold()
        self.assert_told('kernel', "the kernel's own epp_boost does it", 'Boost (kernel)')
        self.assertEqual(self.line(KERNEL_BOOST), 'Y')
        self.assertEqual(self.epp('policy1'), BASE)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.line(KERNEL_BOOST), 'N')
        self.assertEqual(self.parameter_writes(), ['Y', 'N'])

    def test_it_is_off_while_eppd_boosts(self):
        self.start_with('Y', USER)
        cookie = self.boost()
        self.assertEqual(self.line(KERNEL_BOOST), 'N')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.line(KERNEL_BOOST), 'Y')

    def test_switched_on_by_another_while_eppd_boosts(self):
        self.start_with('Y', USER)
        cookie = self.boost()
        self.write(KERNEL_BOOST, 'Y')
        self.wait_for_reason("the kernel's own epp_boost boosts besides: another program switched it on")
        self.assertEqual(self.get('BoostState'), 'armed')
        self.hold()
        self.settle()
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.parameter_writes(), ['N'])
        self.stop_eppd()
        self.assertEqual(self.line(KERNEL_BOOST), 'Y')
        self.assertEqual(self.parameter_writes(), ['N'])

    def test_switched_off_by_another_while_it_boosts(self):
        self.start_with('N')
        cookie = self.hold()
        self.wait_for_state('kernel')
        self.write(KERNEL_BOOST, 'N')
        self.wait_for_state('armed')
        self.wait_for_reason("not by the kernel's own epp_boost: another program switched it off")
        self.wait_for_epp('policy1', BOOST)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertEqual(self.parameter_writes(), ['Y'])
        # The next game is another matter.
        self.hold()
        self.wait_for_state('kernel')
        self.assertEqual(self.parameter_writes(), ['Y', 'Y'])

    def test_switched_off_by_another_where_only_it_may_boost(self):
        self.start_with('N', '[Boost]\nBackend=kernel\n')
        self.hold()
        self.wait_for_state('kernel')
        self.write(KERNEL_BOOST, 'N')
        self.wait_for_state('blocked')
        self.assertIn('another program switched it off', self.get('BoostReason'))
        for _ in range(3):
            self.hold()
            self.settle()
            self.assertEqual(self.get('BoostState'), 'blocked')
        self.assertEqual(self.parameter_writes(), ['Y'])
        # A person asks for another try.
        self.call('Reload')
        self.wait_for_state('kernel')
        self.assertEqual(self.line(KERNEL_BOOST), 'Y')

    def test_gone_while_eppd_boosts(self):
        self.start_with('Y', USER)
        self.boost()
        self.sim.command('epp_boost remove')
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_gone_while_it_boosts(self):
        self.start_with('N')
        self.hold()
        self.wait_for_state('kernel')
        self.sim.command('epp_boost remove')
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)
