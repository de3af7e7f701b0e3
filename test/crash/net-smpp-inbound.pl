#!/usr/bin/perl
# An SMSC on Debian's Net::SMPP for tests: tells its port, and brings the messages of its arguments to whoever binds. Answers
# to the first session are lost: it does not hear them, and brings everything again to the second. Each argument is
# `udh HEX`, `sar REF TOTAL SEQ HEX`, `payload HEX` or `text HEX`, all of them UCS-2.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, interface_version => 0x34)
    or die "cannot listen: $!";
print "listening ", $listener->sockport, "\n";

my $sessions = 0;
while (1) {
    # It gives up after some seconds.
    my $session = $listener->accept or next;
    my $number = ++$sessions;
    $session->autoflush(1);
    while (my $pdu = $session->read_pdu) {
        my $cmd = $pdu->{cmd};
        if ($cmd == Net::SMPP::CMD_bind_transceiver) {
            $session->bind_transceiver_resp(system_id => 'perl', seq => $pdu->{seq});
            bring($session, split ' ') for @ARGV;
            print "brought $number\n";
        } elsif ($cmd == Net::SMPP::CMD_deliver_sm_resp) {
            print "answered $number $pdu->{status}\n";
        } elsif ($cmd == Net::SMPP::CMD_enquire_link) {
            $session->enquire_link_resp(seq => $pdu->{seq}) if $number > 1;
        } elsif ($cmd == Net::SMPP::CMD_unbind) {
            $session->unbind_resp(seq => $pdu->{seq});
            last;
        }
    }
    close $session;
}

sub bring {
    my ($session, $kind, @rest) = @_;
    my $octets = pack 'H*', pop @rest;
    my %content = $kind eq 'payload' ? (short_message => '', message_payload => $octets) : (short_message => $octets);
    if ($kind eq 'sar') {
        $content{sar_msg_ref_num} = pack 'n', $rest[0];
        $content{sar_total_segments} = pack 'C', $rest[1];
        $content{sar_segment_seqnum} = pack 'C', $rest[2];
    }
    $session->deliver_sm(
        async            => 1,
        source_addr_ton  => 1,
        source_addr_npi  => 1,
        source_addr      => '821012345678',
        destination_addr => '15881234',
        esm_class        => $kind eq 'udh' ? 0x40 : 0,
        data_coding      => 8,
        %content,
    );
}
